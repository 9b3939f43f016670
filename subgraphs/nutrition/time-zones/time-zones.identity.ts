import { z } from 'zod';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { timezone } from '#server/shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { TimeZones } from './time-zones.ts';

const FRESH_MILLIS = 60_000; // 1 min
const TIMEOUT_MILLIS = 2_000; // 2 s

/** Asks identity's `GET /users/me` in the user's name. */
export function identityTimeZones(identityUrl: string): TimeZones {
  const known = boundedCache<string, { zone: string; askedAt: number }>({
    name: 'time_zones',
    maxEntries: 50_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: ({ zone }, userId) => bytesOfText(zone) + bytesOfText(userId) + 50,
  });

  const ask = async (unit: UnitOfWork): Promise<string> => {
    const { authorization, traceparent, requestId } = unit.origin;
    if (!authorization) throw new Error('no token to ask with');
    const answer = await fetch(`${identityUrl}/users/me`, {
      headers: { Authorization: authorization, traceparent, 'X-Request-Id': requestId },
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    });
    if (!answer.ok) throw new Error(`identity answered ${answer.status}`);
    return z.object({ timezone }).parse(await answer.json()).timezone;
  };

  return {
    async of(unit) {
      if (unit.viewer.kind !== 'user') return 'UTC';
      const { userId } = unit.viewer;
      const last = known.get(userId);
      if (last && Date.now() - last.askedAt < FRESH_MILLIS) return last.zone;
      try {
        const zone = await ask(unit);
        known.set(userId, { zone, askedAt: Date.now() });
        return zone;
      } catch (error) {
        unit.log.warn({ err: error }, 'the time zone of a user could not be asked for');
        return last?.zone ?? 'UTC';
      }
    },
  };
}
