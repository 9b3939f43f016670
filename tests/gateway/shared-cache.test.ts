import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { isCacheTested, startCachedPlatform, type CachedPlatform } from '../support/shared-cache.ts';

if (!isCacheTested)
  console.warn('The shared cache is not tested: REDIS_URL is not set, or redis-server is not installed.');

const GYM = DEMO_GYMS.ironTemple.id;
/** Nobody reads an old value in a request that begins later than this after the answer to the write. */
const MOST_MILLIS = 1_000;

let cached: CachedPlatform;
let staff: string;
let member: string;
let locationId: string;

(isCacheTested ? describe : describe.skip)('two gateways with one Redis', () => {
  beforeAll(async () => {
    cached = await startCachedPlatform(['identity', 'gym', 'content']);
    [staff, member] = await Promise.all([
      cached.platform.demo('admin@iron.test'),
      cached.platform.demo('maya@iron.test'),
    ]);
    const { body } = await cached.platform.rest('gym', 'GET', '/locations', { token: staff });
    locationId = (body as { id: string }[])[0]?.id ?? '';
  });
  afterAll(() => cached.stop());

  const READ = '{ me { gym { locations { id name } } } }';
  const nameIn = (answer: { data: { me: { gym: { locations: { id: string; name: string }[] } } } }) =>
    answer.data.me.gym.locations.find(({ id }) => id === locationId)?.name;
  const UPDATE = 'mutation ($input: UpdateLocationInput!) { updateLocation(input: $input) { name } }';

  /**
   * Asks until the new value is shown.
   * @returns the start of the last request that showed the old one, in milliseconds since the call
   */
  async function oldFor(isNew: () => Promise<boolean>): Promise<number> {
    const writtenAt = performance.now();
    let latest = 0;
    await eventually(async () => {
      const startedAt = performance.now();
      if (await isNew()) return true;
      latest = startedAt - writtenAt;
      return false;
    });
    return latest;
  }

  /** Each writes the name of the location in another way. */
  const writers: [string, (name: string) => Promise<unknown>][] = [
    ['REST at the service', (name) => rest('gym', '', name)],
    ['REST through the first gateway', (name) => rest('gateway', '/gym', name)],
    ['the graph at the service', (name) => graphAt(cached.platform.url('gym'), name)],
    ['the graph at the first gateway', (name) => graphAt(cached.gateways[0], name)],
    ['the graph at the second gateway', (name) => graphAt(cached.gateways[1], name)],
    ['a socket at the second gateway', (name) => bySocket(cached.gateways[1], name)],
    ['REST at another replica of the service', (name) => byReplica(name)],
    [
      'a statement, as jobs and services send it',
      (name) => cached.platform.sql('gym', 'update location set name = $1 where id = $2', [name, locationId]),
    ],
  ];

  async function rest(server: 'gym' | 'gateway', prefix: string, name: string): Promise<void> {
    const path = `${prefix}/locations/${locationId}`;
    const { status } = await cached.platform.rest(server, 'PUT', path, { token: staff, body: { name } });
    expect(status).toBe(200);
  }
  const graphAt = (url: string, name: string) =>
    cached.ask(url, UPDATE, staff, { input: { id: locationId, name } });

  async function bySocket(url: string, name: string): Promise<void> {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${staff}` },
    });
    const variables = { input: { id: locationId, name } };
    for await (const { data } of client.iterate({ query: UPDATE, variables }))
      expect(data).toEqual({ updateLocation: { name } });
    await client.dispose();
  }

  async function byReplica(name: string): Promise<void> {
    const replica = await cached.platform.replica('gym');
    const response = await fetch(`${replica.url}/locations/${locationId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${staff}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    expect(response.status).toBe(200);
  }

  it.each(writers)('show no old value a second after a write by %s', async (_door, write) => {
    for (const url of cached.gateways) await cached.warm(url, READ, member);
    const name = `Hall ${randomUUID()}`;
    await write(name);
    const shows = async (url: string) => nameIn(await cached.ask(url, READ, member)) === name;
    const old = await Promise.all(cached.gateways.map((url) => oldFor(() => shows(url))));
    expect(Math.max(...old)).toBeLessThan(MOST_MILLIS);
    // The cache has the new value, too.
    for (const url of cached.gateways) expect(nameIn(await cached.warm(url, READ, member))).toBe(name);
  });

  it.each([
    ['the graph', (name: string) => graphAt(cached.gateways[0], name)],
    ['REST', (name: string) => rest('gateway', '/gym', name)],
  ])('show the writer the new value at once, after a write by %s', async (_door, write) => {
    for (let round = 0; round < 5; round += 1) {
      await cached.ask(cached.gateways[0], READ, staff);
      const name = `Hall ${randomUUID()}`;
      await write(name);
      expect(nameIn(await cached.ask(cached.gateways[0], READ, staff))).toBe(name);
    }
  });

  it('show a gym soon after it was created, although null was cached for its slug', async () => {
    const slug = `gym-${randomUUID().slice(0, 8)}`;
    const query = `{ gym(slug: "${slug}") { name } }`;
    expect((await cached.warm(cached.gateways[1], query)).data).toEqual({ gym: null });
    await cached.platform.rest('gym', 'POST', '/gyms', {
      token: await cached.platform.demo('super@demo.test'),
      body: { slug, name: 'New' },
    });
    const shows = async () => (await cached.ask(cached.gateways[1], query)).data.gym?.name === 'New';
    expect(await oldFor(shows)).toBeLessThan(MOST_MILLIS);
  });

  it('find what the other one has stored, with its age', async () => {
    const query = `{ gym(id: "${GYM}") { name timezone slug } }`;
    await cached.warm(cached.gateways[0], query, member);
    const inRedis = () => cached.metric(cached.gateways[1], 'shared_cache_hits_total', 'layer="redis"');
    const before = await inRedis();
    const answer = await eventually(async () => {
      const { age, cacheControl } = await cached.ask(cached.gateways[1], query, member);
      return age !== undefined && age > 0 && { age, cacheControl };
    });
    expect(answer.cacheControl).toBe(`private, max-age=${answer.age + 1}`);
    expect(await inRedis()).toBeGreaterThan(before);
  });

  it('count the values that a change has removed', async () => {
    await cached.warm(cached.gateways[0], READ, member);
    const changed = () =>
      cached.metric(cached.gateways[0], 'shared_cache_evictions_total', 'reason="changed"');
    const before = await changed();
    await rest('gym', '', `Hall ${randomUUID()}`);
    expect(await eventually(async () => (await changed()) > before)).toBe(true);
  });

  it('keep the lists of others when a member adds a routine of their own', async () => {
    const query = '{ workouts(first: 200) { nodes { title } } }';
    const leo = await cached.platform.demo('leo@iron.test');
    const before = await cached.warm(cached.gateways[0], query, member);
    const title = `Own ${randomUUID()}`;
    await cached.platform.rest('content', 'POST', '/workouts', {
      token: leo,
      body: { title, difficulty: 'Beginner', category: 'Strength', exercises: [] },
    });
    const titles = async (token: string) =>
      ((await cached.ask(cached.gateways[0], query, token)).data.workouts.nodes as { title: string }[]).map(
        (one) => one.title,
      );
    await eventually(async () => (await titles(leo)).includes(title));
    const evicted = await cached.metric(
      cached.gateways[0],
      'shared_cache_evictions_total',
      'reason="changed"',
    );
    expect((await cached.warm(cached.gateways[0], query, member)).data).toEqual(before.data);
    expect(await titles(member)).not.toContain(title);
    expect(await cached.metric(cached.gateways[0], 'shared_cache_evictions_total', 'reason="changed"')).toBe(
      evicted,
    );
  });

  it('answer without Redis, and use it again when it has returned without its data', async () => {
    for (const url of cached.gateways) await cached.warm(url, READ, member);
    cached.redis.hang();
    const name = `Hall ${randomUUID()}`;
    await rest('gym', '', name);
    const shows = async (url: string) => nameIn(await cached.ask(url, READ, member)) === name;
    const old = await Promise.all(cached.gateways.map((url) => oldFor(() => shows(url))));
    expect(Math.max(...old)).toBeLessThan(MOST_MILLIS);
    const ready = async () => (await (await fetch(`${cached.gateways[0]}/health/ready`)).json()) as object;
    await eventually(async () => JSON.stringify(await ready()).includes('the shared cache is not used'));
    await cached.redis.restart();
    for (const url of cached.gateways) expect(nameIn(await cached.warm(url, READ, member))).toBe(name);
  });
});
