/** What has to be ended with a connection, by name: listeners, counts, timers. */
export class Cleanups {
  private readonly ends = new Map<string, () => void>();
  private isOver = false;

  has(name: string): boolean {
    return this.ends.has(name);
  }

  /** Calls `end` when the connection ends, or when another one is kept under the same name. */
  keep(name: string, end: () => void): void {
    this.release(name);
    if (this.isOver) end();
    else this.ends.set(name, end);
  }

  keepTimer(name: string, timer: NodeJS.Timeout): void {
    timer.unref();
    this.keep(name, () => clearInterval(timer));
  }

  release(name: string): void {
    const end = this.ends.get(name);
    this.ends.delete(name);
    end?.();
  }

  releaseAllBut(names: ReadonlySet<string>): void {
    for (const name of this.ends.keys()) if (!names.has(name)) this.release(name);
  }

  /** The connection has ended: what is kept from now on is ended at once. */
  releaseAll(): void {
    this.isOver = true;
    for (const name of this.ends.keys()) this.release(name);
  }
}
