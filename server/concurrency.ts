import { PlatformError } from './errors.ts';

/**
 * Runs at most `concurrency` tasks at a time; further tasks wait in order. If more than `waiting` tasks wait (default
 * 1,000), the next is refused with RATE_LIMITED: its client would have left before its turn.
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
          'Too many requests of this kind are waiting; try again in a moment.',
          { retryAfterSeconds: 2 },
        );
      await new Promise<void>((resolve) => queue.push(resolve)); // the finished task passes its slot on, so `running` does not change
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
