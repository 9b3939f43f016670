/** What must come to its end in time, or is told so. Under way it is linked with the others of its time limit. */
export abstract class TimeLimited {
  /** Of TimeLimit alone, as are its neighbours. */
  endsAt = 0;
  before: TimeLimited | undefined;
  after: TimeLimited | undefined;

  abstract onTimeout(): void;
}

/**
 * A time limit of one length for any number of things under way; one timer for all of them, as one for each costs more
 * than to wait. They are linked with each other, the first to end first. A Map would do the same, but each time that V8
 * makes a new table for it the old one points to the new: once such a table is old, all that are under way at that
 * moment look alive until the next collection of everything, and most of what a request leaves behind with them.
 */
export class TimeLimit {
  private readonly millis: number;
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

  /** Does nothing for what is not under way. */
  end(one: TimeLimited): void {
    const { before, after } = one;
    if (before) before.after = after;
    else if (this.first === one) this.first = after;
    if (after) after.before = before;
    else if (this.last === one) this.last = before;
    one.before = undefined;
    one.after = undefined;
  }

  /** Not to be waited for: who is under way has a connection, or asks for one. */
  private timerIn(millis: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), millis).unref();
  }

  private look(): void {
    let left: number | undefined;
    for (let one = this.first; one; one = this.first) {
      left = one.endsAt - performance.now();
      if (left > 0) break;
      left = undefined;
      this.end(one);
      one.onTimeout(); // may begin another, which comes last here
    }
    this.timer = left === undefined ? undefined : this.timerIn(Math.ceil(left));
  }
}
