/** Functions that end the listeners, counts and timers of a connection, by name. */
export class Cleanups {
  private readonly ends = new Map<string, () => void>();
  private isOver = false;

  has(name: string): boolean {
    return this.ends.has(name);
  }

  /** Calls `end` when the connection ends, or when another function is added under the same name. */
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

  /** To be called when the connection has ended. A function that is added later is called at once. */
  releaseAll(): void {
    this.isOver = true;
    for (const name of this.ends.keys()) this.release(name);
  }
}
