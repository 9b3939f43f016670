/** Counts what each holder currently has, up to a limit. A holder that has nothing uses no memory. */
export class Quota {
  private readonly bound: number;
  private readonly counts = new Map<string, number>();

  constructor(bound: number) {
    this.bound = bound;
  }

  /** False if the holder has reached the limit; then nothing is counted. */
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
