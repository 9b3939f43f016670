import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import type { Origin } from '#server/unit-of-work.ts';

const LocationAnswer = z.object({ gymId: z.string() });

/** The locations of gyms, which the gym service stores. */
export class GymLocations {
  private readonly calls: CallsToServices;

  constructor(calls: CallsToServices) {
    this.calls = calls;
  }

  /** The id of the location's gym; null if there is no such location. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT */
  async gymOf(locationId: string, origin: Origin): Promise<string | null> {
    try {
      const answer = await this.calls
        .to('gym')
        .call({ method: 'GET', path: `/locations/${locationId}`, as: 'service', origin });
      return LocationAnswer.parse(answer).gymId;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }
}
