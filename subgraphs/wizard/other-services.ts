import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { openingExceptions, openingHours } from '#server/opening-hours.ts';
import { serviceCalls, type ServiceCalls, type ServiceCallsOptions } from '#server/service-calls.ts';
import type { ServerSettings } from '#server/settings.ts';
import type { Origin } from '#server/unit-of-work.ts';
import type { Slot, SlotLocation } from './availability/slots.ts';

/** The services in which a wizard makes its changes, called with this service's own token. */
export interface OtherServices {
  gym: ServiceCalls;
  identity: ServiceCalls;
  nutrition: ServiceCalls;
  close(): Promise<void>;
}

interface OtherServicesOptions {
  settings: Pick<ServerSettings, 'gymUrl' | 'identityUrl' | 'nutritionUrl' | 'serviceCallTimeoutMillis'>;
  tokens: ServiceCallsOptions['tokens'];
}

export function otherServices({ settings, tokens }: OtherServicesOptions): OtherServices {
  const options = { tokens, timeoutMillis: settings.serviceCallTimeoutMillis };
  const gym = serviceCalls({ name: 'gym', url: settings.gymUrl, ...options });
  const identity = serviceCalls({ name: 'identity', url: settings.identityUrl, ...options });
  const nutrition = serviceCalls({ name: 'nutrition', url: settings.nutritionUrl, ...options });
  return {
    gym,
    identity,
    nutrition,
    close: async () => {
      await Promise.all([gym.close(), identity.close(), nutrition.close()]);
    },
  };
}

const locationAnswer = z.object({
  id: z.string(),
  gymId: z.string(),
  timezone: z.string(),
  capacity: z.int(),
  openingHours: openingHours.nullable(),
  openingExceptions: openingExceptions.default([]),
});

/** The maximum number of bookings that one request to gym may name. */
const MAX_BOOKINGS = 100;
const bookedAnswer = z.object({ booked: z.array(z.string()) });
const placesAnswer = z.object({ capacity: z.int(), booked: z.int() });

/** Reads data of the other services, for one unit of work. Each location is read only once. */
export const lookupsOf = ({ gym, identity }: OtherServices, origin: Origin) => {
  const locations = new Map<string, Promise<SlotLocation | undefined>>();
  const locationOf = async (id: string): Promise<SlotLocation | undefined> => {
    const answer = await found(gym.call({ method: 'GET', path: `/locations/${id}`, as: 'service', origin }));
    return answer === undefined ? undefined : locationAnswer.parse(answer);
  };
  return {
    /** The places of first visits at a time, and how many of them are booked. */
    async firstVisitPlaces({ locationId, startsAt }: Slot): Promise<{ capacity: number; booked: number }> {
      const query = new URLSearchParams({ locationId, startsAt: startsAt.toISOString() });
      const path = `/first-visits/places?${query.toString()}`;
      return placesAnswer.parse(await gym.call({ method: 'GET', path, as: 'service', origin }));
    },
    /** Those of these bookings of first visits that were not cancelled. */
    async bookedFirstVisits(bookingIds: readonly string[]): Promise<Set<string>> {
      const booked = new Set<string>();
      for (let start = 0; start < bookingIds.length; start += MAX_BOOKINGS) {
        const path = `/first-visits/booked?ids=${bookingIds.slice(start, start + MAX_BOOKINGS).join(',')}`;
        const answer = bookedAnswer.parse(await gym.call({ method: 'GET', path, as: 'service', origin }));
        for (const id of answer.booked) booked.add(id);
      }
      return booked;
    },
    async isGymNameTaken(name: string): Promise<boolean> {
      const path = `/gyms?name=${encodeURIComponent(name)}`;
      return (
        z.array(z.unknown()).parse(await gym.call({ method: 'GET', path, as: 'service', origin })).length > 0
      );
    },
    isGymSlugTaken: async (slug: string): Promise<boolean> =>
      (await found(
        gym.call({ method: 'GET', path: `/gym/config/${encodeURIComponent(slug)}`, as: 'service', origin }),
      )) !== undefined,
    async isEmailTaken(email: string): Promise<boolean> {
      const path = `/auth/email-availability?email=${encodeURIComponent(email)}`;
      const answer = await identity.call({ method: 'GET', path, as: 'service', origin });
      return !z.object({ available: z.boolean() }).parse(answer).available;
    },
    /** The location; undefined if there is none. */
    location(id: string): Promise<SlotLocation | undefined> {
      const location = locations.get(id) ?? locationOf(id);
      locations.set(id, location);
      return location;
    },
  };
};
export type Lookups = ReturnType<typeof lookupsOf>;

/** The answer; undefined instead of the error NOT_FOUND. */
async function found(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
