import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { IDENTITY_ONLY, OWNING_SERVICE, type CallerKind } from '#server/rest/callers.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { rightsPage } from '../../scripts/rights-page.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { bodyFor } from '../support/route-bodies.ts';
import { OBJECTS, objectIn, storeObjects } from '../support/stored-objects.ts';

const USERS_OF_ANOTHER_GYM = ['zoe@aqua.test', 'admin@aqua.test'] as const;
const KINDS: readonly CallerKind[] = ['MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'];
const gymId = DEMO_GYMS.ironTemple.id;
const QUERIES: Readonly<Record<string, string>> = {
  'GET /auth/email-availability': '?email=nobody@x.test',
  'GET /posts/reports': `?gymId=${gymId}`,
  'GET /first-visits': `?gymId=${gymId}`,
  'GET /memberships': `?userIds=${randomUUID()}`,
  'GET /training-counts': `?of=${randomUUID()}/2026-01-01T00:00:00Z/2026-02-01T00:00:00Z`,
  'GET /first-visits/booked': `?ids=${randomUUID()}`,
  'GET /first-visits/places': `?locationId=${OBJECTS['/locations/:id']}&startsAt=2037-01-05T18:00:00Z`,
};

const nameOf = ({ method, path }: RestRoute<never>): string => `${method} ${path}`;
const routes = subgraphs.flatMap(({ name, rest }) =>
  rest.map((route: RestRoute<never>) => [name, nameOf(route), route] as const),
);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
  await storeObjects(platform);
});
afterAll(() => platform.stop());

const tokenOf = (kind: CallerKind, route: RestRoute<never>): Promise<string> => {
  if (kind === 'SERVICE') return platform.serviceToken(route.only === IDENTITY_ONLY ? 'identity' : 'wizard');
  const email = {
    MEMBER: 'maya@iron.test',
    GYM_ADMIN: 'admin@iron.test',
    SUPER_ADMIN: 'super@demo.test',
  } as const;
  return platform.demo(email[kind]);
};

const statusOf = async (
  service: ServiceName,
  route: RestRoute<never>,
  token?: string,
  object = '',
): Promise<number> => {
  const path = route.path
    .replace(object, object.replace(/:\w+/, OBJECTS[object] ?? ''))
    .replaceAll(/:(\w+)/g, (_all, name) => (name === 'gymId' ? gymId : randomUUID()));
  const body = bodyFor(route) ?? (token && route.body ? {} : undefined);
  const answer = await platform.rest(service, route.method, path + (QUERIES[nameOf(route)] ?? ''), {
    ...(token && { token }),
    ...(body && { body }),
  });
  return answer.status;
};

it('docs/rights.md is up to date with the routes', async () => {
  const page = await readFile(new URL('../../docs/rights.md', import.meta.url), 'utf8');
  expect(page).toBe(rightsPage());
});

describe('every route that is not for everybody', () => {
  it.each(routes.filter(([, , { auth }]) => auth === 'required'))(
    'of %s, %s, answers anonymous callers with 401',
    async (service, _name, route) => {
      expect(await statusOf(service, route)).toBe(401);
    },
  );

  const limited = routes.flatMap(([service, name, route]) =>
    route.only ? KINDS.map((kind) => [service, name, kind, route, route.only?.kinds ?? []] as const) : [],
  );

  it.each(limited.filter(([, , kind, , kinds]) => !kinds.includes(kind)))(
    'of %s, %s, refuses a %s',
    async (service, _name, kind, route) => {
      expect([403, 404]).toContain(await statusOf(service, route, await tokenOf(kind, route)));
    },
  );

  it.each(limited.filter(([, , kind, { only }, kinds]) => kinds.includes(kind) && only !== OWNING_SERVICE))(
    'of %s, %s, admits a %s',
    async (service, _name, kind, route) => {
      expect([401, 403]).not.toContain(await statusOf(service, route, await tokenOf(kind, route)));
    },
  );

  // These requests name stored objects, because every caller gets 404 for made-up ids. Refused callers change nothing.
  const ofObjects = routes.flatMap(([service, name, route]) => {
    const object = route.auth === 'required' ? objectIn(route) : undefined;
    return object ? [[service, name, route, object] as const] : [];
  });

  it.each(ofObjects)('of %s, %s, refuses users of another gym', async (service, _name, route, object) => {
    for (const email of USERS_OF_ANOTHER_GYM) {
      const status = await statusOf(service, route, await platform.demo(email), object);
      expect([403, 404]).toContain(status);
    }
  });

  it.each(ofObjects.filter(([, , { only }]) => only && !only.kinds.includes('MEMBER')))(
    "of %s, %s, refuses a member of the object's gym",
    async (service, _name, route, object) => {
      expect([403, 404]).toContain(
        await statusOf(service, route, await platform.demo('leo@iron.test'), object),
      );
    },
  );
});
