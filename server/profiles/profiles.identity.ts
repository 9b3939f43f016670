import { Pool } from 'undici';
import { z } from 'zod';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { callSpan, endCall } from '../observability/call-span.ts';
import { errorTypeOf, outgoing } from '../observability/tracing.ts';
import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';
import { timezone } from '../shapes.ts';
import { withinTime } from '../time-limit.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { Profile, Profiles } from './profiles.ts';

const TIMEOUT_MILLIS = 2_000; // 2 s
/** After three failures, units of work do not wait for identity until this time has passed. */
const BREAKER = { failuresToOpen: 3, openMillis: 5_000 }; // 5 s
const DEFAULT_PROFILE: Profile = { timezone: 'UTC', locale: 'en' };

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
  const pool = new Pool(identityUrl, {
    connections: 32,
    keepAliveTimeout: 30_000, // 30 s
    connect: { timeout: 1_000 }, // 1 s
  });

  const ask = async (unit: UnitOfWork, userId: string): Promise<Profile> => {
    const { authorization, requestId } = unit.origin;
    if (!authorization || !breaker.tryAcquire()) return lastKnown.get(userId) ?? DEFAULT_PROFILE;
    const span = callSpan('GET', 'identity');
    try {
      const { status, text } = await withinTime(TIMEOUT_MILLIS, async (signal) => {
        const traceparent = outgoing(span, unit.origin.traceparent);
        const headers = { authorization, traceparent, 'x-request-id': requestId };
        const answer = await pool.request({ method: 'GET', path: '/users/me', headers, signal });
        return { status: answer.statusCode, text: await answer.body.text() };
      });
      endCall(span, status);
      if (status >= 500) throw new Error(`identity answered ${status}`);
      const body: unknown = JSON.parse(text);
      breaker.succeeded(); // a refusal counts as success, too: identity works
      if (status < 300) {
        const profile = ProfileAnswer.parse(body);
        lastKnown.set(userId, profile);
        return profile;
      }
      unit.log.warn({ status }, 'identity refused the profile of a user');
    } catch (error) {
      endCall(span, errorTypeOf(error));
      breaker.failed();
      unit.log.warn({ err: error }, 'the request for the profile of a user failed');
    }
    return lastKnown.get(userId) ?? DEFAULT_PROFILE;
  };

  return {
    of(unit) {
      if (unit.viewer.kind !== 'user') return Promise.resolve(DEFAULT_PROFILE);
      const profile = asked.get(unit) ?? ask(unit, unit.viewer.userId);
      asked.set(unit, profile);
      return profile;
    },
    close: () => pool.close(),
  };
}
