import pLimit from 'p-limit';
import { PlatformError } from './errors.ts';

export interface InTurn {
  <Result>(work: () => Promise<Result>): Promise<Result>;
  /** The number of tasks that wait now. */
  readonly waitingCount: number;
}

/**
 * A function that runs at most `concurrency` of its tasks at a time; further tasks wait in order. While `waiting` tasks wait
 * (default 1,000), each further task is refused with SERVER_BUSY: its client would have given up before the task began.
 *
 *     const inTurn = atMost(2);
 *     await inTurn(() => hash(password));
 */
export function atMost(concurrency: number, options: { waiting?: number } = {}): InTurn {
  const { waiting: maxWaiting = 1_000 } = options;
  const limit = pLimit(concurrency);
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (limit.pendingCount >= maxWaiting)
      throw new PlatformError(
        'SERVER_BUSY',
        'Too many requests of this kind are waiting; try again in a moment.',
        { retryAfterSeconds: 2 },
      );
    return limit(work);
  };
  return Object.defineProperty(inTurn, 'waitingCount', { get: () => limit.pendingCount }) as InTurn;
}
