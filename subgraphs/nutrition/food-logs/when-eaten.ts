import { invalid } from '#server/errors.ts';
import { dayOf, daysBetween, instantOf, noonOf, timeOfDay } from '#server/calendar.ts';
import type { LogEntry } from './food-logs.shapes.ts';

/** The fields of an input about the time of an entry. */
export type When = Pick<LogEntry, 'loggedAt' | 'localDate' | 'timezone'>;

/** When an entry was eaten, and the day that it counts for. */
export interface EatenAt {
  loggedAt: Date;
  localDate: string;
}

/**
 * When an entry was eaten, and the day that it counts for. If the input has only one of the two, the other follows from it.
 * @param before the stored time of an entry that is changed; if the entry is moved to another day, it keeps its local time
 */
export function eatenAtOf({ loggedAt, localDate }: When, zone: string, before?: Date): EatenAt {
  const now = new Date();
  if (!localDate) {
    const instant = loggedAt ? new Date(loggedAt) : now;
    return { loggedAt: instant, localDate: dayOf(instant, zone) };
  }
  if (!loggedAt) {
    if (before) return { loggedAt: instantOf(localDate, timeOfDay(before, zone), zone), localDate };
    return { loggedAt: localDate === dayOf(now, zone) ? now : noonOf(localDate, zone), localDate };
  }
  const instant = new Date(loggedAt);
  // Time zones reach from UTC-12 to UTC+14, so the local day is the day in UTC or a neighbour of it.
  if (Math.abs(daysBetween(dayOf(instant, 'UTC'), localDate)) > 1)
    throw invalid(
      'localDate',
      `expected the day of loggedAt (${loggedAt}) somewhere on earth, got ${localDate}`,
    );
  return { loggedAt: instant, localDate };
}
