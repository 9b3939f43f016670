/**
 * Counts each user's connections of this process. `onLost` is called once the last one has been gone for the grace
 * without a new one: a reload of a page, or a tunnel, makes nobody flicker.
 */
export class Connections {
  private readonly counts = new Map<string, number>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  private readonly graceMillis: number;
  private readonly onLost: (userId: string) => void;

  constructor(graceMillis: number, onLost: (userId: string) => void) {
    this.graceMillis = graceMillis;
    this.onLost = onLost;
  }

  /** Returns what ends the connection; calling it again does nothing. */
  open(userId: string): () => void {
    this.counts.set(userId, (this.counts.get(userId) ?? 0) + 1);
    this.endGrace(userId);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.counts.get(userId) ?? 1) - 1;
      if (left > 0) return void this.counts.set(userId, left);
      this.counts.delete(userId);
      this.beginGrace(userId);
    };
  }

  /** A sign of life without a connection: she has the grace from now on. */
  touch(userId: string): void {
    if (!this.counts.has(userId)) this.beginGrace(userId);
  }

  /** Connections open now. */
  get size(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  dispose(): void {
    for (const timer of this.graces.values()) clearTimeout(timer);
    this.graces.clear();
  }

  private beginGrace(userId: string): void {
    this.endGrace(userId);
    const timer = setTimeout(() => {
      this.graces.delete(userId);
      this.onLost(userId);
    }, this.graceMillis);
    timer.unref();
    this.graces.set(userId, timer);
  }

  private endGrace(userId: string): void {
    clearTimeout(this.graces.get(userId));
    this.graces.delete(userId);
  }
}
