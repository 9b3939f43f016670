import { PlatformError } from './errors.ts';

/**
 * Runs at most `concurrency` works at a time; further ones wait in order.
 * More than `waiting` of them (default 1,000) are refused with RATE_LIMITED: who waits too long has left meanwhile.
 *
 *     const slot = atMost(2);
 *     await slot(() => hash(password));
 */
export function atMost(
  concurrency: number,
  options: { waiting?: number } = {},
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const maxWaiting = options.waiting ?? 1_000;
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= concurrency) {
      if (queue.length >= maxWaiting)
        throw new PlatformError(
          'RATE_LIMITED',
          'Too much of this is asked for at once; try again in a moment.',
          { retryAfterSeconds: 2 },
        );
      await new Promise<void>((resolve) => queue.push(resolve)); // the slot is handed over, so `running` stays
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
