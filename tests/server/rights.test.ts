import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { IDENTITY_ONLY, OWNING_SERVICE, type CallerKind } from '#server/rest/callers.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { rightsPage } from '../../scripts/rights-page.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { OBJECTS, objectIn } from '../support/stored-objects.ts';

const USERS_OF_ANOTHER_GYM = ['zoe@aqua.test', 'admin@aqua.test'] as const;
const KINDS: readonly CallerKind[] = ['MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'];
const gymId = DEMO_GYMS.ironTemple.id;
const soon = { startsAt: '2027-01-01T00:00:00Z', endsAt: '2027-02-01T00:00:00Z' };

/** Valid inputs of the routes with `only`, so that a refusal is one of the rights and not of the shape. */
const BODIES: Readonly<Record<string, () => object>> = {
  'PUT /users/:id/role': () => ({ role: 'MEMBER' }),
  'PUT /users/:id/gym': () => ({ gymId }),
  'POST /invitations': () => ({ email: `${randomUUID()}@x.test`, displayName: 'Invited', gymId }),
  'POST /api-clients': () => ({ name: 'Turnstile', scopes: ['check-in'], gymId }),
  'POST /gyms': () => ({ name: 'A gym', slug: `gym-${randomUUID().slice(0, 8)}` }),
  'PUT /gym/config': () => ({ gymId, assets: {} }),
  'PUT /gym/config/:gymId/draft': () => ({ assets: {} }),
  'POST /gym/config/:gymId/rollback': () => ({ version: 1 }),
  'POST /locations': () => ({ gymId, name: 'Hall', timezone: 'UTC', capacity: 1 }),
  'PUT /locations/:id': () => ({ capacity: 1 }),
  'POST /challenges': () => ({ gymId, title: 'C', metric: 'CUSTOM', goal: 1, ...soon }),
  'POST /challenges/:id/progress': () => ({ amount: 1 }),
  'POST /posts/:id/comments': () => ({ text: 'x' }),
  'POST /posts/:id/report': () => ({ reason: 'x' }),
  'POST /announcements': () => ({ gymId, title: 'News', text: 'x' }),
  'PUT /gym/:gymId/products': () => ({ products: [] }),
  'PUT /gym/:gymId/programs': () => ({ programs: [] }),
  'POST /exercises': () => ({ name: 'Sled', primaryMuscles: ['Quadriceps'], modality: 'WEIGHT_DISTANCE' }),
  'POST /workouts': () => ({ title: 'R', difficulty: 'Beginner', category: 'Strength', exercises: [] }),
  'POST /products': () => ({
    name: 'Bands',
    kind: 'MERCHANDISE',
    price: 1,
    currency: 'EUR',
    sku: randomUUID(),
  }),
  'POST /squads/:id/kick': () => ({ userId: randomUUID() }),
  'POST /squads/:id/host': () => ({ userId: randomUUID() }),
  'POST /:sessionId/deployment/resolve': () => ({ action: 'ACCEPT', note: 'x' }),
};

/** A form with a picture, for a route that accepts an upload. */
function formFor({ upload }: RestRoute<never>): FormData | undefined {
  if (!upload) return undefined;
  const form = new FormData();
  form.append(upload.field, new Blob([new Uint8Array(pictures.bomb(1, 1))], { type: 'image/png' }), 'a.png');
  return form;
}

const QUERIES: Readonly<Record<string, string>> = {
  'GET /auth/email-availability': '?email=nobody@x.test',
  'GET /posts/reports': `?gymId=${gymId}`,
  'GET /first-visits': `?gymId=${gymId}`,
};

const nameOf = ({ method, path }: RestRoute<never>): string => `${method} ${path}`;
const routes = subgraphs.flatMap(({ name, rest }) =>
  rest.map((route: RestRoute<never>) => [name, nameOf(route), route] as const),
);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
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
  const body = BODIES[nameOf(route)]?.() ?? formFor(route) ?? (token && route.body ? {} : undefined);
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

  // As refused callers change nothing, these requests name stored objects. With made-up ids every caller gets 404.
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
