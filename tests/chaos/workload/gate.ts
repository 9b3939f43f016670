/** Lets the actors work, or holds each of them between two of its operations. */
export class Gate {
  private isOpen = true;
  private isOver = false;
  private atWork = 0;
  private readonly waiting = new Set<() => void>();
  private readonly idle = new Set<() => void>();

  /** Does one operation, once the gate is open. Returns false, without doing it, when the run is over. */
  async pass(work: () => Promise<unknown>): Promise<boolean> {
    while (!this.isOpen && !this.isOver) await new Promise<void>((resolve) => this.waiting.add(resolve));
    if (this.isOver) return false;
    this.atWork += 1;
    try {
      await work();
    } finally {
      this.atWork -= 1;
      if (this.atWork === 0) wake(this.idle);
    }
    return true;
  }

  /** Holds the actors; resolves when no operation is running. */
  async close(): Promise<void> {
    this.isOpen = false;
    while (this.atWork > 0) await new Promise<void>((resolve) => this.idle.add(resolve));
  }

  open(): void {
    this.isOpen = true;
    wake(this.waiting);
  }

  /** Ends the run: no further operation begins. */
  end(): void {
    this.isOver = true;
    wake(this.waiting);
  }

  get over(): boolean {
    return this.isOver;
  }
}

function wake(sleepers: Set<() => void>): void {
  const all = [...sleepers];
  sleepers.clear();
  for (const resolve of all) resolve();
}
