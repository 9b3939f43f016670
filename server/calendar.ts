import { DateTime } from 'luxon';
import { z } from 'zod';
import { invalid } from './errors.ts';
import { timezone } from './shapes.ts';
import { DAY_MILLIS } from './durations.ts';
import { validated } from './validate.ts';

/** Local days are texts, `YYYY-MM-DD`. Calculations with days use UTC, which has no changes of clocks. */

const millisOf = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
const fromMillis = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

const DAY_FORMAT = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a day of the calendar. It is checked for every day of an answer, so most days are checked without a Date. */
export function isDay(text: string): boolean {
  if (!DAY_FORMAT.test(text)) return false;
  const [month, day] = [Number(text.slice(5, 7)), Number(text.slice(8))];
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || fromMillis(millisOf(text)) === text;
}

/** The day of an instant in a time zone. */
export const dayOf = (instant: Date, zone: string): string =>
  DateTime.fromJSDate(instant, { zone }).toISODate() ?? '';

/** A time of a local day, such as `18:30`, as an instant. A time that a change of clocks skips becomes an hour later. */
export const instantOf = (day: string, time: string, zone: string): Date =>
  DateTime.fromISO(`${day}T${time}`, { zone }).toJSDate();

/** Noon of a local day as an instant; for an entry of which only the day is known. */
export const noonOf = (day: string, zone: string): Date => instantOf(day, '12:00:00', zone);

/** The time of day of an instant in a time zone, in the form that `instantOf` reads. */
export const timeOfDay = (instant: Date, zone: string): string =>
  DateTime.fromJSDate(instant, { zone }).toFormat('HH:mm:ss.SSS');

const ZoneInput = z.object({ timezone });

/** The time zone of a request; undefined if it has none. @throws VALIDATION_FAILED for an unknown one */
export const validZone = (zone: string | null | undefined): string | undefined =>
  zone ? validated(ZoneInput, { timezone: zone }).timezone : undefined;

export const addDays = (day: string, days: number): string => fromMillis(millisOf(day) + days * DAY_MILLIS);

/** The number of days from one day to another. */
export const daysBetween = (from: string, to: string): number => (millisOf(to) - millisOf(from)) / DAY_MILLIS;

/** 1 (Monday) to 7 (Sunday). */
export const weekdayOf = (day: string): number => new Date(millisOf(day)).getUTCDay() || 7;

/** Every day of a range, both ends included. */
export const daysFrom = (from: string, to: string): string[] =>
  Array.from({ length: daysBetween(from, to) + 1 }, (_unused, index) => addDays(from, index));

export type Bucket = 'DAY' | 'WEEK' | 'MONTH';

/** The first day of the bucket that contains a day; weeks begin on Monday. */
export function startOfBucket(day: string, bucket: Bucket): string {
  if (bucket === 'WEEK') return addDays(day, 1 - weekdayOf(day));
  return bucket === 'MONTH' ? `${day.slice(0, 8)}01` : day;
}

/** The last day of the bucket that contains a day. */
export function endOfBucket(day: string, bucket: Bucket): string {
  if (bucket === 'WEEK') return addDays(day, 7 - weekdayOf(day));
  return bucket === 'MONTH' ? fromMillis(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)) : day;
}

/**
 * Checks a range of days, both ends included.
 * @throws VALIDATION_FAILED if it ends before it begins, or has more than `mostDays` days
 */
export function checkRange(from: string, to: string, mostDays: number): void {
  if (to < from) throw invalid('to', `expected a day not before ${from}, got ${to}`);
  const days = daysBetween(from, to) + 1;
  if (days > mostDays) throw invalid('from', `expected a range of at most ${mostDays} days, got ${days}`);
}
