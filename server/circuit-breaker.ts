/**
 * Stops calls to a service that fails: after several failures in a row it refuses calls for a while, then allows one trial
 * call at a time (half-open).
 *
 * The packages cockatiel and opossum do not fit: a call that says nothing about the service, for example because its
 * client has left, closes their breakers like a success, and neither returns how long its breaker stays open.
 */
export class CircuitBreaker {
  private readonly failuresToOpen: number;
  private readonly openMillis: number;
  private failures = 0;
  private openedAt: number | undefined;
  private isTrialRunning = false;

  constructor({ failuresToOpen, openMillis }: { failuresToOpen: number; openMillis: number }) {
    this.failuresToOpen = failuresToOpen;
    this.openMillis = openMillis;
  }

  get isOpen(): boolean {
    return this.openedAt !== undefined;
  }

  /** Milliseconds until the next call may be allowed, for a call that was refused; 0 if the breaker is closed. */
  get retryAfterMillis(): number {
    if (this.openedAt === undefined) return 0;
    const rest = this.openedAt + this.openMillis - Date.now();
    return rest > 0 ? rest : this.openMillis;
  }

  /** Whether a call may be made now; the calling code then reports the result by `succeeded`, `failed` or `undecided`. */
  tryAcquire(): boolean {
    if (this.openedAt === undefined) return true;
    if (this.isTrialRunning || Date.now() < this.openedAt + this.openMillis) return false;
    this.isTrialRunning = true;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
    this.openedAt = undefined;
    this.isTrialRunning = false;
  }

  failed(): void {
    this.failures += 1;
    this.isTrialRunning = false;
    if (this.failures >= this.failuresToOpen) this.openedAt = Date.now();
  }

  /** A call ended, but its result says nothing about the service. If it was the trial call, the next call is the trial. */
  undecided(): void {
    this.isTrialRunning = false;
  }
}
