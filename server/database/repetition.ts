import { setTimeout as sleep } from 'node:timers/promises';
import { noteOutsideEffect, watchingOutsideEffects } from '../outside-effects.ts';
import { failureOf } from './refusals.ts';

/**
 * How often a transaction is attempted at most. A failover often takes longer than all attempts; callers then get 503 and
 * repeat the request later.
 */
const MAX_ATTEMPTS = 3;
/** After this time, no further attempt begins: a caller gives up after about 10 s. */
const LAST_BEGIN_MILLIS = 4_000;
/** The longest wait before the second and the third attempt. */
const LONGEST_WAIT_MILLIS = [50, 400];

/** The state of one attempt. */
export interface Attempt {
  /** Whether the COMMIT may have been sent. If its answer is lost, it is unknown whether the writes are stored. */
  isCommitting: boolean;
  /** An error of a statement that was not thrown, because it became part of an answer, such as an error of a field. */
  failure: unknown;
  hasOutsideEffect: boolean;
}

interface Repeatable {
  /** Whether a transaction may run again although its COMMIT may have happened. Default: no. */
  mayRepeatCommit?: (() => boolean) | undefined;
  /** Called before each further attempt: removes what the failed one has left in this process. */
  reset(): void;
}

/**
 * Runs a transaction, and runs it again if PostgreSQL has rolled it back because of other transactions (a deadlock, a
 * serialization failure), or if the connection was lost, for example in a failover. It does so only if the transaction has
 * certainly not been committed (or `mayRepeatCommit` allows it) and has had no effect outside of the database; otherwise the
 * error is thrown.
 */
export async function repeated<Result>(
  run: (attempt: Attempt) => Promise<Result>,
  { mayRepeatCommit = () => false, reset }: Repeatable,
): Promise<Result> {
  const startedAt = performance.now();
  for (let count = 1; ; count += 1) {
    const attempt: Attempt = { isCommitting: false, failure: undefined, hasOutsideEffect: false };
    try {
      const result = await watchingOutsideEffects(attempt, () => run(attempt));
      noteOutsideEffect(); // for an outer transaction of another unit of work: its repetition would commit this one twice
      return result;
    } catch (error) {
      if (attempt.hasOutsideEffect) noteOutsideEffect();
      const isOver = count === MAX_ATTEMPTS || performance.now() - startedAt > LAST_BEGIN_MILLIS;
      if (isOver || attempt.hasOutsideEffect || !mayRepeat(error, attempt, mayRepeatCommit)) throw error;
    }
    await sleep(Math.random() * (LONGEST_WAIT_MILLIS[count - 1] ?? 0));
    reset();
  }
}

function mayRepeat(thrown: unknown, attempt: Attempt, mayRepeatCommit: () => boolean): boolean {
  const failure = failureOf(thrown) ?? failureOf(attempt.failure);
  if (failure === 'undone') return true;
  return failure === 'lost' && (!attempt.isCommitting || mayRepeatCommit());
}
