import { DateTime, IANAZone } from 'luxon';
import { DAY_MILLIS } from '#server/durations.ts';

/** A local date and time without an offset, `YYYY-MM-DDTHH:MM`. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

const asUtc = (local: string): number => Date.parse(`${local}:00Z`);
const localText = (millis: number): string => new Date(millis).toISOString().slice(0, 16);

/** Whether the text is a date and time that the calendar has. */
export const isLocalTime = (text: string): boolean =>
  LOCAL.test(text) && !Number.isNaN(asUtc(text)) && localText(asUtc(text)) === text;

/**
 * The instant of a local time in a zone, by RFC 5545, section 3.3.5: a local time that does not exist is read with the
 * offset before the gap; a local time that exists twice means its first instant.
 */
export function instantOf(local: string, zone: string): Date {
  const utc = asUtc(local);
  const { offset } = offsetsOf(zone);
  // No zone changes its offset twice within two days.
  const before = offset(utc - DAY_MILLIS);
  const after = offset(utc + DAY_MILLIS);
  const candidates = [before, after].filter((one) => offset(utc - one) === one);
  return new Date(utc - (candidates.length > 0 ? Math.max(...candidates) : before));
}

/** The local time of an instant in a zone, `YYYY-MM-DDTHH:MM`. */
export const localTimeOf = (instant: Date, zone: string): string =>
  localText(instant.getTime() + offsetsOf(zone).offset(instant.getTime()));

/** The first instant of a local day. */
export const startOfDay = (day: string, zone: string): Date => instantOf(`${day}T00:00`, zone);

/** The day after a local day. */
export const nextDay = (day: string): string => localText(asUtc(`${day}T00:00`) + DAY_MILLIS).slice(0, 10);

/** The Monday of the week of a local time, `YYYY-MM-DD`. */
export const weekOf = (local: string): string =>
  DateTime.fromISO(local.slice(0, 10), { zone: 'utc' }).startOf('week').toISODate() ?? '';

/** Offsets in milliseconds. Luxon reads the rules of a zone once. */
const offsetsOf = (name: string): { offset(instant: number): number } => {
  const zone = IANAZone.create(name);
  return { offset: (instant) => zone.offset(instant) * 60_000 };
};

/** The local time that is `minutes` later, without regard to changes of the clocks. */
export const shifted = (local: string, minutes: number): string => localText(asUtc(local) + minutes * 60_000);

/** The minutes between two local times, without regard to changes of the clocks. */
export const minutesBetween = (from: string, to: string): number => (asUtc(to) - asUtc(from)) / 60_000;
