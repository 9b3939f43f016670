import { DateTime } from 'luxon';
import { z } from 'zod';
import { invalid } from '#server/errors.ts';
import { timezone } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';

/** A local day is text, `YYYY-MM-DD`; between days there are no clocks, so they are counted in UTC. */

const DAY_MILLIS = 86_400_000;
const millisOf = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
const fromMillis = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

/** The day of an instant in a time zone. */
export const dayOf = (instant: Date, zone: string): string =>
  DateTime.fromJSDate(instant, { zone }).toISODate() ?? '';

/** A time of a local day, such as `18:30`, as an instant. A time that a change of clocks leaves out is an hour later. */
export const instantOf = (day: string, time: string, zone: string): Date =>
  DateTime.fromISO(`${day}T${time}`, { zone }).toJSDate();

/** Noon of a local day, as an instant: if only the day of an entry is known. */
export const noonOf = (day: string, zone: string): Date => instantOf(day, '12:00:00', zone);

/** The time of day of an instant in a time zone, to be read by `instantOf`. */
export const timeOfDay = (instant: Date, zone: string): string =>
  DateTime.fromJSDate(instant, { zone }).toFormat('HH:mm:ss.SSS');

/** A zone that a request names. Undefined: it names none. @throws VALIDATION_FAILED for one that there is not */
export const validZone = (zone: string | null | undefined): string | undefined =>
  zone ? validated(z.object({ timezone }), { timezone: zone }).timezone : undefined;

export const addDays = (day: string, days: number): string => fromMillis(millisOf(day) + days * DAY_MILLIS);

/** How many days from one to the other. */
export const daysBetween = (from: string, to: string): number => (millisOf(to) - millisOf(from)) / DAY_MILLIS;

/** 1 (Monday) to 7 (Sunday). */
export const weekdayOf = (day: string): number => new Date(millisOf(day)).getUTCDay() || 7;

/** Every day from the first to the last. */
export const daysFrom = (from: string, to: string): string[] =>
  Array.from({ length: daysBetween(from, to) + 1 }, (_unused, index) => addDays(from, index));

export type Bucket = 'DAY' | 'WEEK' | 'MONTH';

/** The first day of the bucket that a day is in; weeks begin on Monday. */
export function startOfBucket(day: string, bucket: Bucket): string {
  if (bucket === 'WEEK') return addDays(day, 1 - weekdayOf(day));
  return bucket === 'MONTH' ? `${day.slice(0, 8)}01` : day;
}

export function endOfBucket(day: string, bucket: Bucket): string {
  if (bucket === 'WEEK') return addDays(day, 7 - weekdayOf(day));
  return bucket === 'MONTH' ? fromMillis(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)) : day;
}

/** A range of days with both ends in it. @throws VALIDATION_FAILED where it ends before it begins, or is longer than `mostDays`. */
export function checkRange(from: string, to: string, mostDays: number): void {
  if (to < from) throw invalid('to', `expected a day not before ${from}, got ${to}`);
  const days = daysBetween(from, to) + 1;
  if (days > mostDays) throw invalid('from', `expected a range of at most ${mostDays} days, got ${days}`);
}
