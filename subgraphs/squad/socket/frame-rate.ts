const SECOND_MILLIS = 1_000;
/** If more frames than this are refused within a second, the socket is closed. */
const MAX_REFUSED_PER_SECOND = 300;
/**
 * If the refused frames of a second have more bytes than this, the socket is closed. A refused frame is parsed, because the
 * answer needs its id; so this bounds the cost, which is less than that of the frames which the rate allows.
 */
const MAX_REFUSED_BYTES_PER_SECOND = 1024 * 1024; // 1 MiB
/** If frames are refused in this many seconds in a row, the socket is closed. */
const CLOSE_AFTER_SECONDS = 5;

/**
 * What the connection does with a frame: `accept` handles it, `refuse` answers with an error if the frame has an id or
 * `allowsErrorWithoutId` returns true, `close` closes the socket.
 */
export type FrameAction = 'accept' | 'refuse' | 'close';

/** Counts the frames of a socket, second by second. */
export class FrameRate {
  private readonly perSecond: number | undefined;
  private secondStartedAt = 0;
  private acceptedInSecond = 0;
  private refusedInSecond = 0;
  private refusedBytesInSecond = 0;
  private hasErrorWithoutId = false;
  private secondsWithRefusals = 0;

  constructor(perSecond: number | undefined) {
    this.perSecond = perSecond;
  }

  /** Counts a frame, and returns what to do with it. */
  count(bytes: number): FrameAction {
    this.tick();
    if (this.perSecond === undefined || this.acceptedInSecond < this.perSecond) {
      this.acceptedInSecond += 1;
      return 'accept';
    }
    return this.countRefused(bytes);
  }

  /** Counts a frame that is refused although the rate allows it, because too many frames of the socket wait to be handled. */
  countRefused(bytes: number): FrameAction {
    this.tick();
    this.refusedInSecond += 1;
    this.refusedBytesInSecond += bytes;
    if (this.refusedInSecond === 1) this.secondsWithRefusals += 1;
    const isTooMuch =
      this.refusedInSecond > MAX_REFUSED_PER_SECOND ||
      this.refusedBytesInSecond > MAX_REFUSED_BYTES_PER_SECOND ||
      this.secondsWithRefusals >= CLOSE_AFTER_SECONDS;
    return isTooMuch ? 'close' : 'refuse';
  }

  /**
   * Whether a refused frame without an id may be answered: one such error a second, because the client cannot match it with a
   * frame anyway.
   */
  allowsErrorWithoutId(): boolean {
    const isFirst = !this.hasErrorWithoutId;
    this.hasErrorWithoutId = true;
    return isFirst;
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
    this.refusedBytesInSecond = 0;
    this.hasErrorWithoutId = false;
  }
}
