/**
 * Counts the connections of this process by user and gym: a connection that a member opens after a change of gym does not
 * keep them online in the old one. `onLost` is called when a user has had no connection for the grace, so that a reload
 * of a page is no change of presence.
 */
export class Connections {
  private readonly counts = new Map<string, number>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  private readonly graceMillis: number;
  private readonly onLost: (userId: string, gymId: string) => void;

  constructor(graceMillis: number, onLost: (userId: string, gymId: string) => void) {
    this.graceMillis = graceMillis;
    this.onLost = onLost;
  }

  /** Returns the function that ends the connection; a second call does nothing. */
  open(userId: string, gymId: string): () => void {
    const key = keyOf(userId, gymId);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.endGrace(key);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left > 0) return void this.counts.set(key, left);
      this.counts.delete(key);
      this.beginGrace(userId, gymId);
    };
  }

  /** For a request: without a connection, the grace of the user begins now. */
  touch(userId: string, gymId: string): void {
    if (!this.has(userId, gymId)) this.beginGrace(userId, gymId);
  }

  has(userId: string, gymId: string): boolean {
    return this.counts.has(keyOf(userId, gymId));
  }

  /** Connections open now. */
  get size(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  dispose(): void {
    for (const timer of this.graces.values()) clearTimeout(timer);
    this.graces.clear();
  }

  private beginGrace(userId: string, gymId: string): void {
    const key = keyOf(userId, gymId);
    this.endGrace(key);
    const timer = setTimeout(() => {
      this.graces.delete(key);
      this.onLost(userId, gymId);
    }, this.graceMillis);
    timer.unref();
    this.graces.set(key, timer);
  }

  private endGrace(key: string): void {
    clearTimeout(this.graces.get(key));
    this.graces.delete(key);
  }
}

const keyOf = (userId: string, gymId: string): string => `${userId} ${gymId}`;
