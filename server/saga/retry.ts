import { refusalOfDatabase } from '../database/refusals.ts';
import { PlatformError } from '../errors.ts';

export interface RetryOptions {
  /** The wait after the first failure; it doubles after each further failure. Default 500 ms. */
  firstMillis: number;
  /** The longest wait. Default 30 s. */
  capMillis: number;
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  random?(): number;
}

export const DEFAULT_RETRY: RetryOptions = { firstMillis: 500, capMillis: 30_000 };

/**
 * The milliseconds to wait: exponential with a cap, minus up to a quarter at random, so that many sagas do not call a
 * service at the same moment.
 */
export function waitAfter(
  failures: number,
  { firstMillis, capMillis, random = Math.random }: RetryOptions,
): number {
  const wait = Math.min(capMillis, firstMillis * 2 ** Math.min(failures - 1, 20));
  return Math.round(wait * (1 - random() / 4));
}

/** Whether the other service has refused the request, so that a repetition would not help. */
export const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.status < 500 && !TEMPORARY.has(error.status);

/** Statuses below 500 after which a repetition may succeed: the token was not valid, the body came too slowly, too many requests. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 408, 429]);

/** An error as it is stored and shown: a PlatformError keeps its message, any other error is masked. */
export function errorOf(thrown: unknown): { code: string; message: string } {
  const error = refusalOfDatabase(thrown) ?? thrown;
  if (error instanceof PlatformError) return { code: error.code, message: error.message };
  return {
    code: 'INTERNAL',
    message:
      'Something went wrong on our side; the error has been logged, and the action will be tried again.',
  };
}
