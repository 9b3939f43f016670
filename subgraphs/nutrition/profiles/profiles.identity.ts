import { z } from 'zod';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { timezone } from '#server/shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Profile, Profiles } from './profiles.ts';

const TIMEOUT_MILLIS = 2_000; // 2 s
/** If identity does not answer, only three entries wait for it, not all. */
const BREAKER = { failuresToOpen: 3, openMillis: 5_000 }; // 5 s
const NOBODY: Profile = { timezone: 'UTC', locale: 'en' };

const ProfileAnswer = z.object({ timezone, locale: z.string() });

/** Asks identity's `GET /users/me` with the user's token, once for each unit of work. */
export function identityProfiles(identityUrl: string): Profiles {
  const lastKnown = boundedCache<string, Profile>({
    name: 'profiles',
    maxEntries: 50_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: (profile, userId) => bytesOfText(profile.timezone + profile.locale) + bytesOfText(userId) + 50,
  });
  const asked = new WeakMap<UnitOfWork, Promise<Profile>>();
  const breaker = new CircuitBreaker(BREAKER);

  const ask = async (unit: UnitOfWork, userId: string): Promise<Profile> => {
    const { authorization, traceparent, requestId } = unit.origin;
    if (!authorization || !breaker.tryAcquire()) return lastKnown.get(userId) ?? NOBODY;
    try {
      const answer = await fetch(`${identityUrl}/users/me`, {
        headers: { Authorization: authorization, traceparent, 'X-Request-Id': requestId },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      if (answer.status >= 500) throw new Error(`identity answered ${answer.status}`);
      const body: unknown = await answer.json();
      breaker.succeeded(); // also a refusal, which is about the caller and not about identity
      if (answer.ok) {
        const profile = ProfileAnswer.parse(body);
        lastKnown.set(userId, profile);
        return profile;
      }
      unit.log.warn({ status: answer.status }, 'identity refused the profile of a user');
    } catch (error) {
      breaker.failed();
      unit.log.warn({ err: error }, 'the request for the profile of a user failed');
    }
    return lastKnown.get(userId) ?? NOBODY;
  };

  return {
    of(unit) {
      if (unit.viewer.kind !== 'user') return Promise.resolve(NOBODY);
      const profile = asked.get(unit) ?? ask(unit, unit.viewer.userId);
      asked.set(unit, profile);
      return profile;
    },
  };
}
