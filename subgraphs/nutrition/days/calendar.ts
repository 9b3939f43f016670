import { DateTime } from 'luxon';
import { invalid } from '#server/errors.ts';

/** A local day, `YYYY-MM-DD`, and what can be said of days without a time zone. */

export const dayOf = (instant: Date, zone: string): string => DateTime.fromJSDate(instant, { zone }).toISODate() ?? '';

/** Noon of a local day, as an instant: where only the day of an entry is known. */
export const noonOf = (day: string, zone: string): Date => DateTime.fromISO(`${day}T12:00:00`, { zone }).toJSDate();

export const addDays = (day: string, days: number): string => DateTime.fromISO(day, { zone: 'UTC' }).plus({ days }).toISODate() ?? '';

/** How many days from one to the other. */
export const daysBetween = (from: string, to: string): number => Math.round(DateTime.fromISO(to, { zone: 'UTC' }).diff(DateTime.fromISO(from, { zone: 'UTC' }), 'days').days);

/** 1 (Monday) to 7 (Sunday). */
export const weekdayOf = (day: string): number => DateTime.fromISO(day, { zone: 'UTC' }).weekday;

export const daysFrom = (from: string, to: string): string[] => Array.from({ length: daysBetween(from, to) + 1 }, (_unused, index) => addDays(from, index));

export type Bucket = 'DAY' | 'WEEK' | 'MONTH';

/** The first day of the bucket that a day is in; weeks begin on Monday. */
export const startOfBucket = (day: string, bucket: Bucket): string => DateTime.fromISO(day, { zone: 'UTC' }).startOf(bucket.toLowerCase() as Lowercase<Bucket>).toISODate() ?? '';
export const endOfBucket = (day: string, bucket: Bucket): string => DateTime.fromISO(day, { zone: 'UTC' }).endOf(bucket.toLowerCase() as Lowercase<Bucket>).toISODate() ?? '';

/** A range of days with both ends in it. @throws VALIDATION_FAILED where it ends before it begins, or is longer than `mostDays`. */
export function checkRange(from: string, to: string, mostDays: number): void {
  if (to < from) throw invalid('to', `expected a day not before ${from}, got ${to}`);
  const days = daysBetween(from, to) + 1;
  if (days > mostDays) throw invalid('from', `expected a range of at most ${mostDays} days, got ${days}`);
}
