import pLimit from 'p-limit';
import { PlatformError } from './errors.ts';

/**
 * Runs at most `concurrency` tasks at a time; further tasks wait in order. If more than `waiting` tasks wait (default
 * 1,000), the next task is refused with SERVER_BUSY, because its client would leave before its turn.
 *
 *     const slot = atMost(2);
 *     await slot(() => hash(password));
 */
export function atMost(
  concurrency: number,
  options: { waiting?: number } = {},
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const { waiting: maxWaiting = 1_000 } = options;
  const limit = pLimit(concurrency);
  return async (work) => {
    if (limit.pendingCount >= maxWaiting)
      throw new PlatformError(
        'SERVER_BUSY',
        'Too many requests of this kind are waiting; try again in a moment.',
        { retryAfterSeconds: 2 },
      );
    return limit(work);
  };
}
