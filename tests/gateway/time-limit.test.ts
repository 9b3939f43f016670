import { describe, expect, it } from '@jest/globals';
import { TimeLimited, TimeLimit } from '../../gateway/tuned-for-v8/time-limit.ts';

const MILLIS = 30;

/** Begins an operation. @returns a promise that resolves at its timeout, to the milliseconds since its begin */
function begun(
  limit: TimeLimit,
  onTimeout: () => void = () => undefined,
): Promise<number> & { one: TimeLimited } {
  const startedAt = performance.now();
  const timeout = Promise.withResolvers<number>();
  const one = new (class extends TimeLimited {
    onTimeout() {
      timeout.resolve(performance.now() - startedAt);
      onTimeout();
    }
  })();
  limit.begin(one);
  return Object.assign(timeout.promise, { one });
}

describe('a time limit', () => {
  it('ends all operations that take too long, including those that began meanwhile', async () => {
    const limit = new TimeLimit(MILLIS);
    let later: Promise<number> | undefined;
    const first = begun(limit, () => {
      later = begun(limit);
    });
    const second = begun(limit);
    for (const one of [first, second]) expect(await one).toBeGreaterThanOrEqual(MILLIS - 1);
    expect(await later).toBeGreaterThanOrEqual(MILLIS - 1);
  });

  it('does not end an operation that has already ended, and ends another one at its own time', async () => {
    const limit = new TimeLimit(MILLIS);
    let timeouts = 0;
    const ended = begun(limit, () => (timeouts += 1));
    await begun(new TimeLimit(MILLIS / 2));
    limit.end(ended.one);
    expect(await begun(limit)).toBeGreaterThanOrEqual(MILLIS - 1);
    expect(timeouts).toBe(0);
  });

  it('ends the remaining operations after others have ended in any order', async () => {
    const limit = new TimeLimit(MILLIS);
    const timedOut: number[] = [];
    const all = Array.from({ length: 6 }, (_, at) => begun(limit, () => timedOut.push(at)));
    for (const at of [2, 0, 5, 2]) limit.end((all[at] as (typeof all)[number]).one);
    await Promise.all([all[1], all[3], all[4]]);
    expect(timedOut).toEqual([1, 3, 4]);
    for (const at of [4, 1]) limit.end((all[at] as (typeof all)[number]).one);
    expect(await begun(limit)).toBeGreaterThanOrEqual(MILLIS - 1);
    expect(timedOut).toEqual([1, 3, 4]);
  });
});
