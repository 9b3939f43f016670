import { invalid } from '#server/errors.ts';
import { dayOf, daysBetween, instantOf, noonOf, timeOfDay } from '../days/calendar.ts';
import type { LogEntry } from './food-logs.shapes.ts';

/** What a request says of the time of an entry. */
export type When = Pick<LogEntry, 'loggedAt' | 'localDate' | 'timezone'>;

/** When an entry was eaten, and the day that it counts for. */
export interface Place {
  loggedAt: Date;
  localDate: string;
}

/**
 * When an entry was eaten and the day that it counts for; each follows from the other where only one is said.
 * @param before of an entry that is moved: on another day it keeps its local time
 */
export function placeOf({ loggedAt, localDate }: When, zone: string, before?: Date): Place {
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
  // Zones reach from UTC-12 to UTC+14: what was eaten then counts for that day or a neighbour of it.
  if (Math.abs(daysBetween(dayOf(instant, 'UTC'), localDate)) > 1)
    throw invalid(
      'localDate',
      `expected the day of loggedAt (${loggedAt}) somewhere on earth, got ${localDate}`,
    );
  return { loggedAt: instant, localDate };
}
