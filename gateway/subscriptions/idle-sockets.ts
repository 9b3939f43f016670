/** Close code of a socket on which nothing was asked for in a long time. */
export const IDLE = 4431;
/** A socket without any operation is of no use to its client for so long. */
const IDLE_MILLIS = 10 * 60_000; // 10 min

/** How long a socket has had no operation under way. */
export class Idleness {
  private since = Date.now();

  /** @returns whether it has been idle too long */
  isTooLong(operationsUnderWay: number, now = Date.now()): boolean {
    if (operationsUnderWay > 0) this.since = now;
    return now - this.since > IDLE_MILLIS;
  }

  /** An operation was sent, however soon it may end. */
  interrupt(): void {
    this.since = Date.now();
  }
}
