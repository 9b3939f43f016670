/**
 * Stops calls to a service that fails: after several failures in a row it refuses calls for a while, then allows one trial call.
 * Written by hand: cockatiel and opossum count only calls that they run themselves, and know success and failure only; here
 * a caller also asks how long to wait, and a call that its client has cancelled decides nothing.
 */
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

  /** Milliseconds until the next call is allowed, 0 if it is allowed now. Half-open: one trial call at a time. */
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

  /** A call ended without saying anything about the health of the service. If it was the trial call, the next call is the trial. */
  undecided(): void {
    this.onTrial = false;
  }
}
