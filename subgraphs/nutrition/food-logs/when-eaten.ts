import { invalid } from '#server/errors.ts';
import { addDays, dayOf, daysBetween, instantOf, noonOf, timeOfDay } from '#server/calendar.ts';
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
 * @param before the stored time and day of an entry that is changed. A new day moves the time by as many days, and the local
 * time stays; the same day leaves it unchanged. The time may be on another local day than the one that the entry counts for.
 */
export function eatenAtOf({ loggedAt, localDate }: When, zone: string, before?: EatenAt): EatenAt {
  const now = new Date();
  if (!localDate) {
    const instant = loggedAt ? new Date(loggedAt) : now;
    return { loggedAt: instant, localDate: dayOf(instant, zone) };
  }
  if (!loggedAt) {
    if (before) return { loggedAt: movedTo(localDate, before, zone), localDate };
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

function movedTo(day: string, { loggedAt, localDate }: EatenAt, zone: string): Date {
  const days = daysBetween(localDate, day);
  if (days === 0) return loggedAt;
  return instantOf(addDays(dayOf(loggedAt, zone), days), timeOfDay(loggedAt, zone), zone);
}
