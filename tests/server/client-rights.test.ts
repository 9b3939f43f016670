import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { SCOPE_NAMES, type Scope } from '#server/auth/scopes.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { randomFrom } from '../support/graph-doubles/random.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { bodyFor } from '../support/route-bodies.ts';
import { DELIVERY, OBJECTS, objectIn, storeObjects } from '../support/stored-objects.ts';
import { graphRequest, rootFields } from '../system/fuzz/graph-operations.ts';

/**
 * Root fields that return more to a machine client with all scopes except `content:read` than to an anonymous caller.
 * Other tests check these fields.
 */
const FIELDS_FOR_CLIENTS: ReadonlySet<string> = new Set([
  'query users',
  'query user',
  'query locations',
  'query location',
  'query events',
  'query webhook',
  'query webhooks',
  'query checkInDenials', // with visits:read
  'query gymClass', // this and the next four with classes:read
  'query gymClasses',
  'query classSession',
  'query classSessions',
  'query booking',
  'query userImport', // with members:write
  'mutation setMembership', // with members:write
  'query orders', // with orders:read
  'query order', // with orders:read
]);
const PRIVATE_FIELDS = `{ users(first: 50) { nodes {
  email qrCode body { heightCm } trainingGoals { activity }
  checkIns(first: 1) { nodes { id } } currentCheckIn { id } orders(first: 1) { nodes { id } }
  trainings(first: 1) { nodes { id } } trainingSummary { count }
  foodLogs(first: 1) { nodes { id } } nutritionDay { date } nutritionGoal { calories }
  squadHistory(first: 1) { nodes { squadId } } wizardSessions(first: 1) { nodes { id } } presence { online }
  gym { posts(first: 1) { nodes { id } } challenges { id } announcements { id } }
} } }`;
/** The number of operations for each root field, each with other arguments and selections. */
const OPERATIONS = Number(process.env.CLIENT_RIGHTS_OPERATIONS ?? 2);

let platform: TestPlatform;
/** Tokens of clients of Iron Temple: with one scope each, with all of them, and with all but `content:read`. */
const tokens = new Map<Scope | 'all' | 'without content', string>();
/** The token of a client of Aqua Club with all scopes. */
let tokenOfOtherGym: string;
let qrCode: string;

beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  await storeObjects(platform);
  for (const scope of SCOPE_NAMES) tokens.set(scope, await clientToken(DEMO_GYMS.ironTemple.id, [scope]));
  tokens.set('all', await clientToken(DEMO_GYMS.ironTemple.id, SCOPE_NAMES));
  const withoutContent = SCOPE_NAMES.filter((scope) => scope !== 'content:read');
  tokens.set('without content', await clientToken(DEMO_GYMS.ironTemple.id, withoutContent));
  const maya = await platform.rest('identity', 'GET', '/users/me', {
    token: await platform.demo('maya@iron.test'),
  });
  qrCode = maya.body.qrCode as string;
  tokenOfOtherGym = await clientToken(DEMO_GYMS.aquaClub.id, SCOPE_NAMES);
});
afterAll(() => platform.stop());

async function clientToken(gymId: string, scopes: readonly Scope[]): Promise<string> {
  const created = await platform.rest('identity', 'POST', '/api-clients', {
    token: await platform.demo('super@demo.test'),
    body: { name: 'Machine', scopes, gymId },
  });
  const { id, secret } = created.body as { id: string; secret: string };
  const { body } = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  return body.access_token as string;
}

const routes = subgraphs.flatMap(({ name, rest }) =>
  rest
    .filter((route: RestRoute<never>) => route.auth === 'required')
    .map((route: RestRoute<never>) => [name, `${route.method} ${route.path}`, route] as const),
);

/** The ids that paths name besides those of the objects. */
const KNOWN_IDS: Readonly<Record<string, string>> = {
  gymId: DEMO_GYMS.ironTemple.id,
  deliveryId: DELIVERY,
};

/** The body with a member's code, for a check-in and a check-out. */
function scanFor({ path }: RestRoute<never>): object | undefined {
  if (path === '/locations/check-in') return { qrCode, locationId: OBJECTS['/locations/:id'] };
  return path === '/locations/check-out' ? { qrCode } : undefined;
}

/** The status of a request. If the path names an object, it is a stored one of Iron Temple. */
async function statusOf(service: ServiceName, route: RestRoute<never>, token: string): Promise<number> {
  const object = objectIn(route) ?? '';
  const path = route.path
    .replace(object, object.replace(/:\w+/, OBJECTS[object] ?? ''))
    .replaceAll(/:(\w+)/g, (_all, name) => KNOWN_IDS[name as string] ?? randomUUID());
  const { status } = await platform.rest(service, route.method, path, {
    token,
    ...((route.body || route.consumes) && { body: scanFor(route) ?? bodyFor(route) ?? {} }),
  });
  return status;
}

/**
 * With 400 and 415 the body was refused before the rule ran. The test of the graph's fields calls the same rules with
 * valid input.
 */
const REFUSED = [400, 403, 404, 415];

describe('a machine client', () => {
  it.each(routes.filter(([, , { scopes }]) => !scopes))(
    'is refused by %s, %s, whatever its scopes are',
    async (service, _name, route) => {
      expect(REFUSED).toContain(await statusOf(service, route, tokens.get('all') ?? ''));
    },
  );

  const forClients = routes.filter(([, , { scopes }]) => scopes);
  it.each(forClients)(
    'is admitted by %s, %s, with each of the scopes that the route declares, and with no other',
    async (service, _name, route) => {
      const admitted: Scope[] = [];
      for (const scope of SCOPE_NAMES) {
        const status = await statusOf(service, route, tokens.get(scope) ?? '');
        if (![401, 403, 404].includes(status)) admitted.push(scope);
      }
      expect(admitted.toSorted()).toEqual(route.scopes?.toSorted());
    },
  );

  it.each(forClients.filter(([, , route]) => objectIn(route)))(
    'of another gym is refused by %s, %s',
    async (service, _name, route) => {
      expect([403, 404]).toContain(await statusOf(service, route, tokenOfOtherGym));
    },
  );

  const fields = SERVICE_NAMES.flatMap((service) => {
    const sdl = readFileSync(new URL(`../../schema/${service}.graphql`, import.meta.url), 'utf8');
    const schema = buildSubgraphSchema(parse(sdl));
    return rootFields(schema)
      .filter(({ name }) => !name.startsWith('_'))
      .map((field) => [service, `${field.kind} ${field.name}`, { schema, field }] as const);
  });
  it.each(fields.filter(([, name]) => !FIELDS_FOR_CLIENTS.has(name)))(
    'sees nothing by %s, %s, that an anonymous caller does not see',
    async (service, name, { schema, field }) => {
      const ids = Object.values(OBJECTS);
      for (let seed = 0; seed < OPERATIONS; seed += 1) {
        const { query, variables } = graphRequest(randomFrom(`${name} ${seed}`), schema, field, ids);
        const anonymous = await platform.graph(service, query, variables);
        const client = await platform.graph(service, query, variables, {
          token: tokens.get('without content') ?? '',
        });
        const shown: unknown = client.data?.[field.name] ?? null;
        // An empty list shows nothing, either. The anonymous caller may have got null, because the query was too
        // costly.
        expect([null, [], anonymous.data?.[field.name]]).toContainEqual(shown);
      }
    },
  );

  it('sees nothing private of the members whom it may list except their email, at the gateway', async () => {
    const { data } = await platform.graph('gateway', PRIVATE_FIELDS, {}, { token: tokens.get('all') ?? '' });
    const members = data.users.nodes as object[];
    expect(members.length).toBeGreaterThan(2);
    for (const member of members)
      expect(member).toEqual({
        email: expect.any(String),
        qrCode: null,
        body: null,
        trainingGoals: null,
        checkIns: null,
        currentCheckIn: null,
        orders: null,
        trainings: null,
        trainingSummary: null,
        foodLogs: null,
        nutritionDay: null,
        nutritionGoal: null,
        squadHistory: null,
        wizardSessions: null,
        presence: { online: false },
        gym: { posts: null, challenges: null, announcements: null },
      });
  });

  it('sees the products of its gym with content:read, and without it only the global ones', async () => {
    const gymsOf = async (token: string | undefined) => {
      const { body } = await platform.rest('content', 'GET', '/products?limit=200', {
        ...(token && { token }),
      });
      return new Set((body as { gymId: string | null }[]).map(({ gymId }) => gymId));
    };
    expect(await gymsOf(tokens.get('content:read'))).toEqual(new Set([null, DEMO_GYMS.ironTemple.id]));
    for (const token of [undefined, tokens.get('without content')])
      expect(await gymsOf(token)).toEqual(new Set([null]));
  });
});
