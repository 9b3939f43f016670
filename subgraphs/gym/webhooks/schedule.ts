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
 * The pause before an early attempt. It doubles with each early attempt that fails, so that an event that its receiver never
 * accepts has at most 14 of them in 3 days, although other events are received meanwhile.
 */
const EARLY_PAUSE_MILLIS = 10 * SECOND_MILLIS;

/** A delivery after an attempt that has failed. */
export interface FailedDelivery {
  /** The attempts of the schedule that have failed. */
  attemptCount: number;
  /** The early attempts that have failed. */
  earlyAttemptCount: number;
  /** After an early attempt: the time until the attempt of the schedule. */
  untilScheduledMillis: number | undefined;
  /** The pause that the receiver asked for. */
  retryAfterMillis: number | undefined;
}

/** The pauses before the next attempt. */
export interface NextAttempt {
  /** The pause by the schedule. */
  pauseMillis: number;
  /** The pause if the receiver gets another event meanwhile; undefined if it is not shorter. */
  earlyPauseMillis: number | undefined;
}

/**
 * When a delivery is sent again; undefined if there is no further attempt. An early attempt (`bringForward`) does not count
 * as an attempt of the schedule.
 */
export function nextAttempt(failed: FailedDelivery): NextAttempt | undefined {
  const { attemptCount, earlyAttemptCount, untilScheduledMillis, retryAfterMillis = 0 } = failed;
  const scheduled = untilScheduledMillis ?? scheduledPause(attemptCount);
  if (scheduled === undefined) return undefined;
  const pauseMillis = Math.max(scheduled, retryAfterMillis);
  const early = Math.max(EARLY_PAUSE_MILLIS * 2 ** earlyAttemptCount, retryAfterMillis);
  return { pauseMillis, earlyPauseMillis: early < pauseMillis ? early : undefined };
}

function scheduledPause(attemptCount: number): number | undefined {
  const pause = PAUSES_MILLIS[attemptCount - 1];
  return pause === undefined ? undefined : pause * (1 + Math.random() * JITTER);
}
