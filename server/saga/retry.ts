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

/** Capped exponential, up to a quarter of it at random: many sagas must not come back to a service in one moment. */
export function waitAfter(
  failures: number,
  { firstMillis, capMillis, random = Math.random }: RetryOptions,
): number {
  const wait = Math.min(capMillis, firstMillis * 2 ** Math.min(failures - 1, 20));
  return Math.round(wait * (1 - random() / 4));
}

/** Whether the other side has understood and said no, so that asking again would not help. */
export const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.status < 500 && !PASSING.has(error.status);

/** Statuses below 500 that say nothing of what was asked for: log in again, sent too slowly, ask less often. */
const PASSING: ReadonlySet<number> = new Set([401, 408, 429]);

/** What is stored and shown of a failure: our own words for what is expected, none for what is not. */
export function errorOf(thrown: unknown): { code: string; message: string } {
  const error = refusalOfDatabase(thrown) ?? thrown;
  if (error instanceof PlatformError) return { code: error.code, message: error.message };
  return {
    code: 'INTERNAL',
    message: 'Something went wrong on our side; it has been logged, and is tried again.',
  };
}
