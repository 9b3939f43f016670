/** Leaves a failing helper in peace: after some failures in a row it is not asked for a while, then once on trial. */
export class CircuitBreaker {
  private readonly failuresToOpen: number;
  private readonly openMillis: number;
  private failures = 0;
  private openedAt: number | undefined;
  private onTrial = false;

  constructor({ failuresToOpen, openMillis }: { failuresToOpen: number; openMillis: number }) {
    this.failuresToOpen = failuresToOpen;
    this.openMillis = openMillis;
  }

  /** How long to wait where it must not be asked now; 0: it may. One caller at a time goes on trial. */
  waitMillis(): number {
    if (this.openedAt === undefined) return 0;
    const rest = this.openedAt + this.openMillis - Date.now();
    if (rest > 0) return rest;
    if (this.onTrial) return this.openMillis;
    this.onTrial = true;
    return 0;
  }

  succeeded(): void {
    this.failures = 0;
    this.openedAt = undefined;
    this.onTrial = false;
  }

  failed(): void {
    this.failures += 1;
    this.onTrial = false;
    if (this.failures >= this.failuresToOpen) this.openedAt = Date.now();
  }
}
