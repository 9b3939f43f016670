/**
 * Counts the connections of this process by gym and user, so that a connection that a member opens after a change of gym does
 * not keep them online in the old gym. `onLost` is called when a user has had no connection for `graceMillis`, so that a
 * reload of a page does not change their presence.
 */
export class Connections {
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  private readonly graceMillis: number;
  private readonly onLost: (userId: string, gymId: string) => void;

  constructor(graceMillis: number, onLost: (userId: string, gymId: string) => void) {
    this.graceMillis = graceMillis;
    this.onLost = onLost;
  }

  /** Returns the function that ends the connection; a second call does nothing. */
  open(userId: string, gymId: string): () => void {
    this.count(userId, gymId, 1);
    this.endGrace(userId, gymId);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (this.count(userId, gymId, -1) === 0) this.beginGrace(userId, gymId);
    };
  }

  /** To be called for a request of the user. If the user has no connection, their grace begins now. */
  touch(userId: string, gymId: string): void {
    if (!this.has(userId, gymId)) this.beginGrace(userId, gymId);
  }

  has(userId: string, gymId: string): boolean {
    return this.counts.get(gymId)?.has(userId) ?? false;
  }

  /** Connections open now. */
  get size(): number {
    let sum = 0;
    for (const users of this.counts.values()) for (const count of users.values()) sum += count;
    return sum;
  }

  dispose(): void {
    for (const timer of this.graces.values()) clearTimeout(timer);
    this.graces.clear();
  }

  /** Returns the new number of the user's connections in the gym. */
  private count(userId: string, gymId: string, change: 1 | -1): number {
    const users = this.counts.get(gymId) ?? new Map<string, number>();
    const count = (users.get(userId) ?? 0) + change;
    if (count > 0) users.set(userId, count);
    else users.delete(userId);
    if (users.size > 0) this.counts.set(gymId, users);
    else this.counts.delete(gymId);
    return count;
  }

  private beginGrace(userId: string, gymId: string): void {
    this.endGrace(userId, gymId);
    const key = keyOf(userId, gymId);
    const timer = setTimeout(() => {
      this.graces.delete(key);
      this.onLost(userId, gymId);
    }, this.graceMillis);
    timer.unref();
    this.graces.set(key, timer);
  }

  private endGrace(userId: string, gymId: string): void {
    if (this.graces.size === 0) return;
    const key = keyOf(userId, gymId);
    clearTimeout(this.graces.get(key));
    this.graces.delete(key);
  }
}

const keyOf = (userId: string, gymId: string): string => `${userId} ${gymId}`;
