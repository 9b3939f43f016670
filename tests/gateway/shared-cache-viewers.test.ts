import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildSchema,
  getNamedType,
  isCompositeType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { CacheDirectives, NO_CACHING, type CacheRule } from '../../gateway/cache/cache-directives.ts';
import { isCacheTested, startCachedPlatform, type CachedPlatform } from '../support/shared-cache.ts';

/** Rounds over all viewers and operations, each in another order. */
const ROUNDS = Number(process.env.CACHE_VIEWERS_ROUNDS ?? 2);
/** The most generated operations, besides those of `FURTHER`; a large number, such as 1000, means all of them. */
const OPERATIONS = Number(process.env.CACHE_VIEWERS_OPERATIONS ?? 10);
const SEED = Number(process.env.CACHE_VIEWERS_SEED ?? 0);

const sdl = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl, { assumeValidSDL: true });
const directives = new CacheDirectives(new AppliedDirectives(sdl));
const { ironTemple, aquaClub } = DEMO_GYMS;

/** Values for arguments, set in `beforeAll`. A root field that may be cached needs a value for each required argument. */
let values: Record<string, readonly unknown[]> = {};

/** The selection of all fields that may be cached, and of nothing else. */
function selectionOf(type: GraphQLObjectType, rule: CacheRule, depth = 0): string | undefined {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const own = directives.ofField(type, field, rule, false);
    if (own.maxAge === 0) return [];
    const inside = getNamedType(field.type);
    if (isLeafType(inside)) return [field.name];
    const selection = isObjectType(inside) && depth < 4 ? selectionOf(inside, own, depth + 1) : undefined;
    return selection ? [`${field.name} ${selection}`] : [];
  });
  return fields.length > 0 ? `{ ${fields.join(' ')} }` : undefined;
}

const literal = (value: unknown): string => JSON.stringify(value);

/** The operations with one root field: with each value of its required arguments, and once with each optional one. */
function operationsOf(root: GraphQLField<unknown, unknown>, rule: CacheRule): string[] {
  const type = getNamedType(root.type);
  const selection = isObjectType(type) ? selectionOf(type, rule) : undefined;
  if (isCompositeType(type) && !selection) return [];
  const argumentsOf = (name: string): string[] => {
    const known = values[`${root.name}.${name}`] ?? values[name] ?? [];
    return known.map((value) => `${name}: ${literal(value)}`);
  };
  const required = root.args.filter(isRequiredArgument).map(({ name }) => argumentsOf(name));
  if (required.some((list) => list.length === 0))
    throw new Error(`Expected values for the arguments of ${root.name} in this test.`);
  const bases = required[0] ?? (root.name === 'gym' ? [] : ['']);
  const optional = root.args
    .filter((arg) => !isRequiredArgument(arg))
    .flatMap(({ name }) => argumentsOf(name));
  const lists = [...bases, ...optional.map((one) => [bases[0], one].filter(Boolean).join(', '))];
  return lists.map((args) => `{ ${root.name}${args && `(${args})`} ${selection ?? ''} }`);
}

function cacheableOperations(): string[] {
  const query = schema.getQueryType();
  if (!query) throw new Error('the supergraph has no Query');
  return Object.values(query.getFields()).flatMap((root) => {
    const rule = directives.ofField(query, root, NO_CACHING, true);
    return rule.maxAge > 0 ? operationsOf(root, rule) : [];
  });
}

let cached: CachedPlatform;
let viewers: readonly (readonly [string, string | undefined])[];

(isCacheTested ? describe : describe.skip)('a viewer with a warm cache', () => {
  beforeAll(async () => {
    cached = await startCachedPlatform(['identity', 'gym', 'content']);
    viewers = await viewersOf(cached);
    const { platform } = cached;
    // The writes above gave some users change tokens of their own (`ownKind`), so that these users would have cache keys of
    // their own in any case. A restart removes these tokens: now the keys differ only if they contain the viewer.
    await platform.restart('content');
    const token = await platform.demo('super@demo.test');
    const ids = async (service: 'gym' | 'content', path: string) =>
      ((await platform.rest(service, 'GET', path, { token })).body as { id: string }[]).map(({ id }) => id);
    const locations = [
      ...(await ids('gym', `/locations?gymId=${ironTemple.id}`)),
      ...(await ids('gym', `/locations?gymId=${aquaClub.id}`)),
    ];
    values = {
      gymId: [ironTemple.id, aquaClub.id],
      slug: [ironTemple.slug],
      'gym.id': [ironTemple.id, aquaClub.id],
      'location.id': locations,
      'product.id': (await ids('content', '/products?limit=200')).slice(-4),
      category: ['Strength'],
      search: ['press'],
      muscle: ['chest'],
      first: [3],
      mine: [true],
      favourite: [true],
      inStock: [true],
      active: [false],
    };
  });
  afterAll(() => cached.stop());

  it('reads what a gateway without a cache answers: users of all roles, machine clients, a service', async () => {
    const operations = [...shuffled(cacheableOperations(), SEED).slice(0, OPERATIONS), ...FURTHER];
    const asks = viewers.flatMap(([name, token]) =>
      operations.map((operation) => ({ key: `${name}: ${operation}`, operation, token })),
    );
    const expected = new Map<string, string>();
    await inBatches(asks, async ({ key, operation, token }) => {
      expected.set(key, await outcome(cached.uncached, operation, token));
    });
    // The viewers' own content makes a difference, or the test would prove nothing about private answers.
    expect(new Set(viewers.map(([name]) => expected.get(`${name}: ${FURTHER[0]}`))).size).toBeGreaterThan(4);
    for (const url of cached.gateways) await cached.warm(url, `{ gym(id: "${ironTemple.id}") { name } }`);
    const differences: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      await inBatches(shuffled(asks, round), async ({ key, operation, token }) => {
        const answer = await outcome(cached.gateways[round % 2] ?? '', operation, token);
        const wanted = expected.get(key);
        if (answer !== wanted) differences.push(`${key}\n  ${answer}\n  ${wanted}`);
      });
    expect(differences).toEqual([]);
    const hits = await cached.metric(cached.gateways[0], 'shared_cache_hits_total');
    expect(hits + (await cached.metric(cached.gateways[1], 'shared_cache_hits_total'))).toBeGreaterThan(
      asks.length / 4,
    );
  });
});

/** Operations with fields that may be cached beside others, and with entities. */
const FURTHER = [
  '{ workouts(first: 200) { nodes { title favourite visibility ownerId } } }',
  '{ exercises(first: 200) { nodes { name custom gymId } } }',
  '{ me { id displayName gym { id name config { theme features } locations { id name closedAt } } } }',
  '{ me { gym { locations { name occupancy { people level } } products { price product { id name price gymId } } } } }',
  '{ me { displayName } workouts(first: 2) { nodes { title } } }',
];

async function outcome(url: string, query: string, token: string | undefined): Promise<string> {
  const { data, errors } = await cached.ask(url, query, token);
  return JSON.stringify([data, errors?.map(({ path, extensions }) => [path, extensions.code]).toSorted()]);
}

/** Two members of one gym differ by their own routines, exercises and favourites only. */
async function viewersOf({ platform }: CachedPlatform) {
  const owner = await platform.register();
  const other = await platform.register();
  const post = (path: string, token: string, body: object) =>
    platform.rest('content', 'POST', path, { token, body });
  const title = `Own ${randomUUID()}`;
  await post('/workouts', owner.token, {
    title,
    difficulty: 'Beginner',
    category: 'Strength',
    exercises: [],
  });
  await post('/exercises', other.token, {
    name: `Press ${randomUUID()}`,
    primaryMuscles: ['chest'],
    modality: 'WEIGHT_REPS',
  });
  const [first] = (await platform.rest('content', 'GET', '/workouts', { token: other.token })).body as {
    id: string;
  }[];
  const favourite =
    'mutation ($id: ID!) { setWorkoutFavourite(input: { id: $id, favourite: true }) { favourite } }';
  await platform.graph('content', favourite, { id: first?.id }, { token: other.token });
  const ironStaff = await platform.demo('admin@iron.test');
  // Staff see a location that is closed.
  const closed = await platform.rest('gym', 'POST', '/locations', {
    token: ironStaff,
    body: { name: 'Closed hall', timezone: 'UTC', capacity: 10 },
  });
  await platform.rest('gym', 'DELETE', `/locations/${(closed.body as { id: string }).id}`, {
    token: ironStaff,
  });
  await post('/products', ironStaff, {
    sku: randomUUID(),
    name: 'Iron bottle',
    kind: 'MERCHANDISE',
    price: 900,
    currency: 'EUR',
  });
  return [
    ['anonymous', undefined],
    ['super admin', await platform.demo('super@demo.test')],
    ['admin of Iron Temple', ironStaff],
    ['admin of Aqua Club', await platform.demo('admin@aqua.test')],
    ['member with a routine', owner.token],
    ['member with an exercise', other.token],
    ['member without content', await platform.demo('maya@iron.test')],
    ['member of Aqua Club', await platform.demo('zoe@aqua.test')],
    ['user without a gym', (await platform.register(null)).token],
    ['client of Iron Temple', await clientToken(platform, ironTemple.id, ['content:read'])],
    ['client of Iron Temple without content', await clientToken(platform, ironTemple.id, ['visits:read'])],
    ['client of Aqua Club', await clientToken(platform, aquaClub.id, ['content:read'])],
    ['a service', await platform.serviceToken('wizard')],
  ] as const;
}

async function clientToken(
  platform: CachedPlatform['platform'],
  gymId: string,
  scopes: readonly string[],
): Promise<string> {
  const token = await platform.demo('super@demo.test');
  const { body } = await platform.rest('identity', 'POST', '/api-clients', {
    token,
    body: { name: 'Machine', scopes, gymId },
  });
  const { id, secret } = body as { id: string; secret: string };
  const answer = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  return (answer.body as { access_token: string }).access_token;
}

/** Runs 16 at once, because a request waits most of its time. */
async function inBatches<Element>(
  list: readonly Element[],
  run: (element: Element) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < list.length; at += 16) await Promise.all(list.slice(at, at + 16).map(run));
}

/** In an order that depends on the seed alone. */
function shuffled<Element>(list: readonly Element[], seed: number): Element[] {
  let state = seed + 1;
  const keyed = list.map((element) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return { element, key: state };
  });
  return keyed.toSorted((one, other) => one.key - other.key).map(({ element }) => element);
}
