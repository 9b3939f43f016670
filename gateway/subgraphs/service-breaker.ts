interface ServiceBreakerOptions {
  /** Whether the service answers a request of the gateway itself. Never rejects. */
  probe(): Promise<boolean>;
  /** Called when the breaker opens, and when it closes again. */
  onChange(isOpen: boolean): void;
}

/** The window consists of this many slots of 1 s. */
const WINDOW_SECONDS = 10;
/** Fewer requests in the window say nothing about the service. */
const MIN_REQUESTS = 5;
/** The pause before each probe, with jitter, so that the replicas of the gateway do not send theirs at the same moment. */
const PAUSE_MILLIS = 2_000; // 2 s

/**
 * Stops requests to a service that fails, so that callers get the rest of their answers at once. It opens
 *
 * - if at least half of at least 5 requests within 10 s failed by a lost connection, or by an answer that is not GraphQL;
 * - after a time-out, if the service answered nothing else while that request waited, and does not answer a probe either.
 *   A time-out alone does not open it: one caller's slow operations must not make the service unavailable to the others.
 *
 * While it is open, the gateway sends a probe after each pause, and no requests of clients, so that no client waits for a
 * service that may not answer. The first probe that is answered closes it (docs/decisions/0019-breaker-by-share.md).
 */
export class ServiceBreaker {
  isOpen = false;
  private readonly options: ServiceBreakerOptions;
  private readonly answered = new Uint32Array(WINDOW_SECONDS);
  private readonly failures = new Uint32Array(WINDOW_SECONDS);
  private second = 0;
  /** When the service last answered a request, by `performance.now()`. */
  private answeredAt = Number.NEGATIVE_INFINITY;
  /** By `Date.now()`. */
  private nextProbeAt = 0;
  private isProbing = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ServiceBreakerOptions) {
    this.options = options;
  }

  /** Milliseconds until the next probe. */
  get retryAfterMillis(): number {
    return Math.max(1, this.nextProbeAt - Date.now());
  }

  /** The service has answered a request. */
  succeeded(): void {
    const now = performance.now();
    this.answeredAt = now;
    const slot = this.slot(now);
    this.answered[slot] = (this.answered[slot] as number) + 1;
  }

  /** A request failed by a lost connection, or by an answer that is not GraphQL. */
  failed(): void {
    const slot = this.slot(performance.now());
    this.failures[slot] = (this.failures[slot] as number) + 1;
    const failed = sumOf(this.failures);
    const all = failed + sumOf(this.answered);
    if (all >= MIN_REQUESTS && failed * 2 >= all) this.open();
  }

  /** A request got no answer in time. @param waitedMillis how long it waited */
  timedOut(waitedMillis: number): void {
    const sentAt = performance.now() - waitedMillis;
    if (!this.isOpen && !this.isProbing && this.answeredAt < sentAt) void this.openUnlessItAnswers();
  }

  /** Ends the probes. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async openUnlessItAnswers(): Promise<void> {
    const sentAt = performance.now();
    const answers = await this.probe();
    // Another request may have been answered during the probe.
    if (!answers && this.answeredAt < sentAt) this.open();
  }

  private open(): void {
    if (this.isOpen || this.isClosed) return;
    this.isOpen = true;
    this.options.onChange(true);
    this.scheduleProbe();
  }

  private scheduleProbe(): void {
    const pauseMillis = PAUSE_MILLIS * (0.75 + Math.random() / 2);
    this.nextProbeAt = Date.now() + pauseMillis;
    this.timer = setTimeout(() => void this.closeIfItAnswers(), pauseMillis).unref();
  }

  private async closeIfItAnswers(): Promise<void> {
    const answers = await this.probe();
    if (this.isClosed) return;
    if (!answers) return this.scheduleProbe();
    this.answered.fill(0);
    this.failures.fill(0);
    this.isOpen = false;
    this.options.onChange(false);
  }

  private async probe(): Promise<boolean> {
    this.isProbing = true;
    try {
      return await this.options.probe();
    } finally {
      this.isProbing = false;
    }
  }

  /** The slot of the current second, after the slots of the seconds without a request are emptied. */
  private slot(nowMillis: number): number {
    const second = Math.floor(nowMillis / 1_000);
    for (let at = Math.max(this.second + 1, second - WINDOW_SECONDS + 1); at <= second; at += 1) {
      this.answered[at % WINDOW_SECONDS] = 0;
      this.failures[at % WINDOW_SECONDS] = 0;
    }
    this.second = second;
    return second % WINDOW_SECONDS;
  }
}

const sumOf = (slots: Uint32Array): number => {
  let sum = 0;
  for (const count of slots) sum += count;
  return sum;
};
