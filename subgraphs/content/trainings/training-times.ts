import { dayOf } from '#server/calendar.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';

const MINUTE_MILLIS = 60_000;
/** How far an instant may be in the future: a device may have a wrong clock or a wrong time zone. */
const MAX_FUTURE_MILLIS = DAY_MILLIS;
const MAX_TRAINING_MILLIS = DAY_MILLIS;

interface Times {
  startedAt: Date;
  endedAt: Date | null;
  minutes: number | null;
}

export const wholeMinutes = (startedAt: Date, endedAt: Date): number =>
  Math.floor((endedAt.getTime() - startedAt.getTime()) / MINUTE_MILLIS);

/**
 * The checked times of a training. Its minutes are those of the input, else the whole minutes from beginning to end; null while
 * it is running.
 * @throws VALIDATION_FAILED for an end before the beginning, a training of more than a day, an instant that is more than a day
 * ahead, and more minutes than the training had
 */
export function checkedTimes(
  startedAt: Date,
  endedAt: Date | null,
  minutes: number | null | undefined,
): Times {
  const latest = Date.now() + MAX_FUTURE_MILLIS;
  if (startedAt.getTime() > latest)
    throw invalid('startedAt', `expected a time that is not in the future, got ${startedAt.toISOString()}`);
  if (!endedAt) {
    if (minutes !== undefined && minutes !== null)
      throw invalid('minutes', 'expected no minutes without endedAt, because the training is still running');
    return { startedAt, endedAt, minutes: null };
  }
  if (endedAt < startedAt)
    throw invalid('endedAt', `expected a time not before startedAt, ${startedAt.toISOString()}`);
  if (endedAt.getTime() > latest)
    throw invalid('endedAt', `expected a time that is not in the future, got ${endedAt.toISOString()}`);
  if (endedAt.getTime() - startedAt.getTime() > MAX_TRAINING_MILLIS)
    throw invalid('endedAt', 'expected at most 24 hours after startedAt');
  const most = wholeMinutes(startedAt, endedAt);
  if ((minutes ?? 0) > most)
    throw invalid(
      'minutes',
      `expected at most ${most}, the minutes from startedAt to endedAt, got ${minutes}`,
    );
  return { startedAt, endedAt, minutes: minutes ?? most };
}

/**
 * The times of a training after a change. Absent minutes follow new times: if they were the whole time before, they are
 * the whole time again, else they are only reduced to it.
 */
export function changedTimes(
  before: Times,
  change: {
    startedAt?: string | undefined;
    endedAt?: string | null | undefined;
    minutes?: number | null | undefined;
  },
): Times {
  const startedAt = change.startedAt ? new Date(change.startedAt) : before.startedAt;
  const endedAt = change.endedAt === undefined ? before.endedAt : change.endedAt && new Date(change.endedAt);
  const end = endedAt || null;
  if (change.minutes !== undefined || !end) return checkedTimes(startedAt, end, change.minutes);
  const wasWhole =
    before.minutes === null ||
    before.endedAt === null ||
    before.minutes === wholeMinutes(before.startedAt, before.endedAt);
  const kept = wasWhole
    ? undefined
    : Math.min(before.minutes ?? 0, Math.max(0, wholeMinutes(startedAt, end)));
  return checkedTimes(startedAt, end, kept);
}

export const localDateOf = (startedAt: Date, zone: string): string => dayOf(startedAt, zone);

/** The number of days from the local date of one time to that of another. */
export const daysBetween = (from: Date, to: Date, zone: string): number =>
  (Date.parse(localDateOf(to, zone)) - Date.parse(localDateOf(from, zone))) / DAY_MILLIS;
