import { z } from 'zod';
import { gymName, gymSlug } from '#server/gym-shapes.ts';
import type { Lookups } from '../other-services.ts';
import type { Reason } from './availability.shapes.ts';
import { canonicalEmail, canonicalName, type Resource } from './resources.ts';
import { FURTHEST_SLOT_MILLIS, isOpen, nextOpen, readSlot, writeSlot } from './slots.ts';

/** One value of a resource, and whether it is available without regard to reservations. */
export interface Candidate {
  /** The value in its canonical form. */
  value: string;
  /** How many sessions may reserve it at once. */
  places: number;
  /** Why the value is not available; undefined if it is available. */
  reason: Reason | undefined;
  /** Similar values, the most similar first. Their availability is not checked here. */
  alternatives(): string[];
}

type Read = (value: string, lookups: Lookups) => Promise<Candidate>;

/** Reads and checks a value, by its resource. @throws VALIDATION_FAILED for a slot that cannot be read */
export const CANDIDATES: Record<Resource, Read> = {
  async 'gym-name'(value, lookups) {
    const isValid = gymName.safeParse(value).success;
    const name = value.trim().replace(/\s+/g, ' ');
    return {
      value: canonicalName(value),
      places: 1,
      reason: !isValid ? 'INVALID' : (await lookups.isGymNameTaken(name)) ? 'TAKEN' : undefined,
      alternatives: () =>
        isValid ? ['2', 'Club', 'Studio', 'Gym', '3'].map((word) => `${name} ${word}`) : [],
    };
  },
  async 'gym-slug'(value, lookups) {
    const isValid = gymSlug.safeParse(value).success;
    const slug = slugOf(value);
    return {
      value: value.toLowerCase(),
      places: 1,
      reason: !isValid ? 'INVALID' : (await lookups.isGymSlugTaken(value)) ? 'TAKEN' : undefined,
      alternatives: () => [
        ...(isValid ? [] : [slug]),
        ...['2', 'club', 'studio', 'gym', '3'].map((word) => `${slug}-${word}`),
      ],
    };
  },
  async email(value, lookups) {
    const isValid = z.email().max(254).safeParse(value).success;
    return {
      value: canonicalEmail(value),
      places: 1,
      reason: !isValid ? 'INVALID' : (await lookups.isEmailTaken(value)) ? 'TAKEN' : undefined,
      alternatives: () => [],
    };
  },
  async slot(value, lookups) {
    const slot = readSlot(value);
    const location = await lookups.location(slot.locationId);
    const ahead = slot.startsAt.getTime() - Date.now();
    const isPast = ahead <= 0; // it can be booked only until it begins
    const reason = !location
      ? 'UNKNOWN_LOCATION'
      : isPast
        ? 'PAST'
        : ahead > FURTHEST_SLOT_MILLIS
          ? 'TOO_FAR'
          : isOpen(slot, location)
            ? undefined
            : 'CLOSED';
    // The gym's bookings include the first visits of deployed wizard sessions. Their reservations are stored here as well,
    // so bookings are not subtracted from `places`: they would count twice.
    const places = reason ? undefined : await lookups.firstVisitPlaces(slot);
    return {
      value: writeSlot(slot),
      places: places?.capacity ?? 0,
      reason: places && places.booked >= places.capacity ? 'FULL' : reason,
      alternatives: () =>
        location && ahead <= FURTHEST_SLOT_MILLIS ? nextOpen(slot, location, 12).map(writeSlot) : [],
    };
  },
};

const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
