const SECOND_MILLIS = 1_000;
/** The socket is closed after this many refused frames in a second, or seconds in a row with refused frames. */
const CLOSE_AFTER_REFUSED = 300;
const CLOSE_AFTER_SECONDS = 5;

/** `refuse` answers with an error (once a second), `drop` does not answer. */
export type Verdict = 'pass' | 'refuse' | 'drop' | 'close';

/** Counts a socket's frames by the second. An error frame for each refused frame would double the traffic. */
export class FrameRate {
  private readonly perSecond: number | undefined;
  private secondStartedAt = 0;
  private passed = 0;
  private refusedNow = 0;
  private badSeconds = 0;

  constructor(perSecond: number | undefined) {
    this.perSecond = perSecond;
  }

  next(): Verdict {
    this.tick();
    if (this.perSecond === undefined || this.passed < this.perSecond) {
      this.passed += 1;
      return 'pass';
    }
    return this.refused();
  }

  /** Counts a frame that is refused for another reason than its number. */
  refused(): Verdict {
    this.tick();
    this.refusedNow += 1;
    if (this.refusedNow === 1) this.badSeconds += 1;
    if (this.refusedNow > CLOSE_AFTER_REFUSED || this.badSeconds >= CLOSE_AFTER_SECONDS) return 'close';
    return this.refusedNow === 1 ? 'refuse' : 'drop';
  }

  private tick(): void {
    const now = Date.now();
    if (now - this.secondStartedAt < SECOND_MILLIS) return;
    if (this.refusedNow === 0) this.badSeconds = 0;
    this.secondStartedAt = now;
    this.passed = 0;
    this.refusedNow = 0;
  }
}
