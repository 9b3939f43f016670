import { refusalOfDatabase } from '../database/refusals.ts';
import { PlatformError } from '../errors.ts';

export interface RetryOptions {
  /** Wait after the first failure; doubled after each further one. Default 500 ms. */
  firstMillis: number;
  /** Longest wait. Default 30 s. */
  capMillis: number;
  /** From 0 to 1, as `Math.random`, which is the default. */
  random?(): number;
}

export const DEFAULT_RETRY: RetryOptions = { firstMillis: 500, capMillis: 30_000 };

/** An exponential wait with a cap, plus up to a quarter at random, so that many sagas do not call a service at the same moment. */
export function waitAfter(
  failures: number,
  { firstMillis, capMillis, random = Math.random }: RetryOptions,
): number {
  const wait = Math.min(capMillis, firstMillis * 2 ** Math.min(failures - 1, 20));
  return Math.round(wait * (1 - random() / 4));
}

/** Whether the other service has refused the request, so that a repetition would not help. */
export const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.status < 500 && !PASSING.has(error.status);

/** Statuses below 500 that do not refuse the request itself: log in again, sent too slowly, too many requests. */
const PASSING: ReadonlySet<number> = new Set([401, 408, 429]);

/** The form in which a failure is stored and shown: an expected error with its message, any other one without. */
export function errorOf(thrown: unknown): { code: string; message: string } {
  const error = refusalOfDatabase(thrown) ?? thrown;
  if (error instanceof PlatformError) return { code: error.code, message: error.message };
  return {
    code: 'INTERNAL',
    message: 'Something went wrong on our side; it has been logged, and will be tried again.',
  };
}
