/** What must come to its end in time, or is told so. */
export interface Limited {
  outOfTime(): void;
}

/** A time limit of one length for any number of things under way; one timer for all of them, as one for each costs more than to wait. */
export class TimeLimit {
  private readonly millis: number;
  /** When each is out of time, the first of them first. */
  private readonly ends = new Map<Limited, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(millis: number) {
    this.millis = millis;
  }

  begin(one: Limited): void {
    this.ends.set(one, performance.now() + this.millis);
    this.timer ??= this.timerIn(this.millis);
  }

  end(one: Limited): void {
    this.ends.delete(one);
  }

  /** Not to be waited for: who is under way has a connection, or asks for one. */
  private timerIn(millis: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), millis).unref();
  }

  private look(): void {
    let left: number | undefined;
    for (const [one, end] of this.ends) {
      left = end - performance.now();
      if (left > 0) break;
      left = undefined;
      this.ends.delete(one);
      one.outOfTime(); // may begin another, which comes last here
    }
    this.timer = left === undefined ? undefined : this.timerIn(Math.ceil(left));
  }
}
