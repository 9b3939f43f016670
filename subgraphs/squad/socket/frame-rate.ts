const SECOND_MILLIS = 1_000;
/** If more frames than this are refused within a second, the socket is closed. */
const MAX_REFUSED_PER_SECOND = 300;
/** If frames are refused in this many seconds in a row, the socket is closed. */
const CLOSE_AFTER_SECONDS = 5;

/**
 * What the connection does with a frame: `accept` handles it, `refuse` answers with an error (once per second), `drop`
 * ignores it without an answer, `close` closes the socket.
 */
export type FrameAction = 'accept' | 'refuse' | 'drop' | 'close';

/**
 * Counts the frames of a socket, second by second. Only the first refused frame of a second is answered: an error for
 * each one would double the traffic.
 */
export class FrameRate {
  private readonly perSecond: number | undefined;
  private secondStartedAt = 0;
  private acceptedInSecond = 0;
  private refusedInSecond = 0;
  private secondsWithRefusals = 0;

  constructor(perSecond: number | undefined) {
    this.perSecond = perSecond;
  }

  /** Counts a frame, and returns what to do with it. */
  count(): FrameAction {
    this.tick();
    if (this.perSecond === undefined || this.acceptedInSecond < this.perSecond) {
      this.acceptedInSecond += 1;
      return 'accept';
    }
    return this.countRefused();
  }

  /** Counts a frame that is refused although the rate allows it, because too many frames of the socket wait to be handled. */
  countRefused(): FrameAction {
    this.tick();
    this.refusedInSecond += 1;
    if (this.refusedInSecond === 1) this.secondsWithRefusals += 1;
    if (this.refusedInSecond > MAX_REFUSED_PER_SECOND || this.secondsWithRefusals >= CLOSE_AFTER_SECONDS)
      return 'close';
    return this.refusedInSecond === 1 ? 'refuse' : 'drop';
  }

  private tick(): void {
    const now = Date.now();
    const passed = now - this.secondStartedAt;
    if (passed < SECOND_MILLIS) return;
    // A second without any frame is not counted by itself, but it also ends the row of seconds with refused frames.
    if (this.refusedInSecond === 0 || passed >= 2 * SECOND_MILLIS) this.secondsWithRefusals = 0;
    this.secondStartedAt = now;
    this.acceptedInSecond = 0;
    this.refusedInSecond = 0;
  }
}
