/** Counts how many things (such as sockets) each holder (such as an address) has now, up to a limit. */
export class Quota {
  private readonly bound: number;
  private readonly counts = new Map<string, number>();

  constructor(bound: number) {
    this.bound = bound;
  }

  /** Counts one more for the holder. Returns false, and counts nothing, if the holder has reached the limit. */
  enter(holder: string): boolean {
    const count = this.counts.get(holder) ?? 0;
    if (count >= this.bound) return false;
    this.counts.set(holder, count + 1);
    return true;
  }

  leave(holder: string): void {
    const count = this.counts.get(holder) ?? 0;
    if (count > 1) this.counts.set(holder, count - 1);
    else this.counts.delete(holder);
  }
}
