import { randomUUID } from 'node:crypto';
import type { Load } from '../gateway/load.ts';
import { dayBefore, jsonHeaders, login, newLocation, newMembers } from '../platform/people.ts';
import type { RunningPlatform } from '../platform/running-platform.ts';

type Target = ConstructorParameters<typeof Load>[0];

/** A request to one platform: through the gateway, and at the port of the service. */
export interface Workload {
  readonly name: string;
  readonly throughGateway: () => Target;
  readonly atService: () => Target;
}

const MEMBERS = 24;
/** The number of different check-in requests: each member checks in at two locations alternately. */
export const DIFFERENT_CHECK_INS = 2 * MEMBERS;
const CONNECTIONS = 8;
/** The number of locations. A check-in locks its location, so check-ins at only one would mostly wait for each other. */
const HALLS = 8;
/** More keys than one round sends requests, because a repeated key would only get the stored answer. */
const KEYS = 4_000;
/** Meals on different days, because a day can have at most 1,000 entries. */
const MEALS = Array.from({ length: 500 }, (_, daysAgo) =>
  JSON.stringify({
    foodName: 'Oatmeal',
    calories: 158,
    protein: 5.5,
    carbs: 27,
    fats: 3.2,
    localDate: dayBefore(daysAgo),
  }),
);

/** Creates members, their data and eight locations on a platform; returns the requests of the measurement. */
export async function workloadsOf(platform: RunningPlatform): Promise<Workload[]> {
  const { url } = platform;
  const staff = await login(url, 'admin@iron.test');
  const members = await newMembers(url, MEMBERS);
  const halls = await Promise.all(
    Array.from({ length: HALLS }, (_, at) => newLocation(url, staff, `Hall ${at}`)),
  );
  const headers = members.map(({ token }) => jsonHeaders(token));
  const compressed = headers.map((one) => ({ ...one, 'accept-encoding': 'gzip, deflate, br' }));
  const request = (
    name: string,
    service: Parameters<RunningPlatform['urlOf']>[0],
    path: string,
    target: () => Partial<Target>,
  ): Workload => {
    const at = (base: string): Target => ({
      url: base + path,
      method: 'GET',
      bodies: [''],
      headers,
      connections: CONNECTIONS,
      ...target(),
    });
    return {
      name,
      throughGateway: () => at(`${url}/${service}`),
      atService: () => at(platform.urlOf(service)),
    };
  };
  return [
    request('GET /locations', 'gym', '/locations', () => ({})),
    request('GET /users/me', 'identity', '/users/me', () => ({})),
    request('GET /workouts', 'content', '/workouts', () => ({})),
    request('GET /history/:id, 50 entries', 'nutrition', '/history/me', () => ({})),
    request('GET /history/:id, compressed', 'nutrition', '/history/me', () => ({ headers: compressed })),
    request('POST /log', 'nutrition', '/log', () => ({ method: 'POST', bodies: MEALS })),
    request('POST /log with a key', 'nutrition', '/log', () => ({
      method: 'POST',
      bodies: MEALS,
      headers: Array.from({ length: KEYS }, (_, at) => ({
        ...headers[at % headers.length],
        'idempotency-key': randomUUID(),
      })),
    })),
    // Each check-in ends the member's visit at the other location, so that every one is a new visit.
    request('POST /locations/check-in', 'gym', '/locations/check-in', () => ({
      method: 'POST',
      headers: [...headers, ...headers],
      bodies: [0, 1].flatMap((turn) =>
        members.map(({ qrCode }, at) =>
          JSON.stringify({ qrCode, locationId: halls[(2 * at + turn) % HALLS] }),
        ),
      ),
    })),
  ];
}
