/** A pending operation with a time limit. While it is pending, it is a node of its time limit's linked list. */
export abstract class TimeLimited {
  // Only TimeLimit writes these three.
  endsAt = 0;
  before: TimeLimited | undefined;
  after: TimeLimited | undefined;

  abstract onTimeout(): void;
}

/**
 * One time limit for any number of pending operations, with one timer for all of them. They form a linked list, in which
 * the first one ends first.
 *
 * Written for speed: a Map would do the same with less code, but when V8 enlarges a Map, the old table points to the new
 * one. Once an old table is in V8's old generation, all operations that were pending at that moment stay alive until the
 * next full collection, with most of the garbage of their requests: collections of the young generation then take 18 to
 * 31 µs per request instead of 4 to 6 (`npm run bench -- "platform small"`; docs/performance.md, "Where the time goes").
 */
export class TimeLimit {
  readonly millis: number;
  private first: TimeLimited | undefined;
  private last: TimeLimited | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(millis: number) {
    this.millis = millis;
  }

  begin(one: TimeLimited): void {
    one.endsAt = performance.now() + this.millis;
    one.before = this.last;
    if (this.last) this.last.after = one;
    else this.first = one;
    this.last = one;
    this.timer ??= this.timerIn(this.millis);
  }

  /** Does nothing if the operation is not pending. */
  end(one: TimeLimited): void {
    const { before, after } = one;
    if (before) before.after = after;
    else if (this.first === one) this.first = after;
    if (after) after.before = before;
    else if (this.last === one) this.last = before;
    one.before = undefined;
    one.after = undefined;
  }

  /** The timer does not keep the process running: a pending operation has a connection, which does. */
  private timerIn(millis: number): NodeJS.Timeout {
    return setTimeout(() => this.expire(), millis).unref();
  }

  /**
   * Ends the late operations after Node has read what arrived: if this process was busy, the answer to one of them may be
   * unread. Node calls timers before it reads, and `setImmediate` after that.
   */
  private expire(): void {
    const { first } = this;
    if (first && first.endsAt <= performance.now()) setImmediate(() => this.endLate());
    else this.endLate();
  }

  private endLate(): void {
    let millisLeft: number | undefined;
    for (let one = this.first; one; one = this.first) {
      millisLeft = one.endsAt - performance.now();
      if (millisLeft > 0) break;
      millisLeft = undefined;
      this.end(one);
      one.onTimeout(); // may begin another operation, which is appended
    }
    this.timer = millisLeft === undefined ? undefined : this.timerIn(Math.ceil(millisLeft));
  }
}
