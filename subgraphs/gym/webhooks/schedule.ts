import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';

const SECOND_MILLIS = 1_000;
const MINUTE_MILLIS = 60_000;

/** The pauses before the attempts after the first one. */
const PAUSES_MILLIS = [
  5 * SECOND_MILLIS,
  5 * MINUTE_MILLIS,
  30 * MINUTE_MILLIS,
  2 * HOUR_MILLIS,
  5 * HOUR_MILLIS,
  10 * HOUR_MILLIS,
  14 * HOUR_MILLIS,
  20 * HOUR_MILLIS,
  24 * HOUR_MILLIS,
];

/** A pause is up to this share longer, so that the deliveries that failed together are not all repeated together. */
const JITTER = 0.2;

/** A webhook whose attempts have all failed for this time is switched off. */
export const MAX_FAILING_MILLIS = 3 * DAY_MILLIS;

/**
 * The pause before the next attempt; undefined if there is none.
 * @param attemptCount the attempts that have failed
 * @param retryAfterMillis what the receiver asked for; the pause is at least as long
 */
export function pauseAfter(attemptCount: number, retryAfterMillis = 0): number | undefined {
  const pause = PAUSES_MILLIS[attemptCount - 1];
  return pause === undefined ? undefined : Math.max(pause * (1 + Math.random() * JITTER), retryAfterMillis);
}
