import { DateTime } from 'luxon';
import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { isOpenAt, type Opening } from '#server/opening-hours.ts';

/**
 * The half hour of a member's first visit. Its places are those of the gym's class "First visit": at first, as many as the
 * location's capacity.
 */
export interface Slot {
  locationId: string;
  /** The beginning of the half hour. */
  startsAt: Date;
}

export const SLOT_MILLIS = 30 * 60 * 1000; // 30 min
/** How far ahead a first visit may be. */
export const FURTHEST_SLOT_MILLIS = 90 * DAY_MILLIS;

/** The location, as the gym service describes it. */
export interface SlotLocation extends Opening {
  id: string;
  gymId: string;
  capacity: number;
}

export const slotOf = (locationId: string, startsAt: Date): Slot => ({
  locationId: locationId.toLowerCase(),
  startsAt: new Date(Math.floor(startsAt.getTime() / SLOT_MILLIS) * SLOT_MILLIS),
});

/** Reads `<locationId>@<start>`, where the start is in ISO 8601 with an offset. @throws VALIDATION_FAILED */
export function readSlot(value: string): Slot {
  // A `+` that is not encoded in a query string arrives as a space, so a space in the start is read as the sign of the offset.
  const [, locationId = '', start = ''] = /^([0-9a-f-]{36})[@,;|/ ](.+)$/i.exec(value.trim()) ?? [];
  const startsAt = DateTime.fromISO(start.replace(' ', '+'), { setZone: true });
  if (!isUuid(locationId) || !startsAt.isValid || !/(z|[+-]\d\d:?\d\d)$/i.test(start.replace(' ', '+')))
    throw invalid('value', 'expected <locationId>@<start>, e.g. 0190...@2027-01-31T18:00:00Z');
  return slotOf(locationId, startsAt.toJSDate());
}

export const writeSlot = ({ locationId, startsAt }: Slot): string =>
  `${locationId}@${startsAt.toISOString()}`;

/** Whether the location is open at the beginning of this half hour; if its opening hours are unknown, it is always open. */
export const isOpen = ({ startsAt }: Slot, location: SlotLocation): boolean => isOpenAt(location, startsAt);

/** At most `count` half hours after this slot, within a week, at whose beginning the location is open. */
export function nextOpen(slot: Slot, location: SlotLocation, count: number): Slot[] {
  const found: Slot[] = [];
  const from = Math.max(slot.startsAt.getTime(), Math.floor(Date.now() / SLOT_MILLIS) * SLOT_MILLIS);
  for (let step = 1; step <= 7 * 48 && found.length < count; step += 1) {
    const next = slotOf(slot.locationId, new Date(from + step * SLOT_MILLIS));
    if (isOpen(next, location)) found.push(next);
  }
  return found;
}
