import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { place } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;
describe('locations', () => {
  it.each([
    ['maya@iron.test', '', ironTemple.id],
    ['admin@aqua.test', '', aquaClub.id],
    ['super@demo.test', `?gymId=${aquaClub.id}`, aquaClub.id],
    ['maya@iron.test', `?gymId=${ironTemple.id}`, ironTemple.id],
  ] as const)('are those of one gym that the caller may see: %s%s', async (email, query, gymId) => {
    const token = await platform.demo(email);
    const { status, body } = await platform.rest('gym', 'GET', `/locations/${query}`, { token });
    expect(status).toBe(200);
    expect(new Set(body.map((location: { gymId: string }) => location.gymId))).toEqual(new Set([gymId]));
    const { data } = await platform.graph(
      'gym',
      'query ($gymId: ID) { locations(gymId: $gymId) { id name capacity occupancy { people capacity percent level } } }',
      { gymId: query ? gymId : null },
      { token },
    );
    expect(data.locations.map(({ id }: { id: string }) => id)).toEqual(
      body.map(({ id }: { id: string }) => id),
    );
  });

  it.each([
    ['maya@iron.test', `?gymId=${aquaClub.id}`, 403, 'FORBIDDEN'],
    ['admin@iron.test', `?gymId=${aquaClub.id}`, 403, 'FORBIDDEN'],
    ['super@demo.test', '', 400, 'GYM_REQUIRED'],
    ['maya@iron.test', '?gymId=iron-temple', 400, 'VALIDATION_FAILED'],
  ] as const)('of another gym, or of none, are refused: %s%s', async (email, query, status, code) => {
    expect(
      await platform.rest('gym', 'GET', `/locations${query}`, { token: await platform.demo(email) }),
    ).toMatchObject({ status, body: { code } });
  });

  it('are refused to users without a gym', async () => {
    const { token } = await platform.register(null);
    expect(await platform.rest('gym', 'GET', '/locations', { token })).toMatchObject({
      status: 400,
      body: { code: 'GYM_REQUIRED' },
    });
  });

  it.each([
    ['maya@iron.test', {}, 403],
    ['admin@iron.test', {}, 201],
    ['admin@iron.test', { gymId: aquaClub.id }, 403],
    ['super@demo.test', { gymId: aquaClub.id }, 201],
    ['super@demo.test', {}, 400],
  ] as const)('are added only by staff of the gym: %s %j', async (email, gym, status) => {
    const token = await platform.demo(email);
    const input = place(gym);
    expect((await platform.rest('gym', 'POST', '/locations', { token, body: input })).status).toBe(status);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: CreateLocationInput!) { createLocation(input: $input) { id } }',
      { input: { ...input, name: `${input.name} 2` } },
      { token },
    );
    expect((errors?.[0]?.extensions.http as { status: number } | undefined)?.status ?? 201).toBe(status);
  });

  it.each([
    { capacity: 0 },
    { capacity: 1.5 },
    { capacity: 'many' },
    { timezone: 'Mars/Olympus' },
    { timezone: '+01:00' },
    { name: '' },
    { name: 'x'.repeat(121) },
    { maxStayMinutes: 0 },
  ])('are refused with the path of the wrong field: %j', async (wrong) => {
    const answer = await platform.rest('gym', 'POST', '/locations', {
      token: await platform.demo('admin@iron.test'),
      body: place(wrong),
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: Object.keys(wrong)[0] }] },
    });
  });

  it('are changed field by field; for users of another gym they do not exist', async () => {
    const token = await platform.demo('admin@iron.test');
    const { body: location } = await platform.rest('gym', 'POST', '/locations', {
      token,
      body: place({ address: 'Old street 1' }),
    });
    const { body: changed } = await platform.rest('gym', 'PUT', `/locations/${location.id}`, {
      token,
      body: { capacity: 25 },
    });
    expect(changed).toEqual({
      ...location,
      capacity: 25,
      version: location.version + 1,
      occupancy: { ...location.occupancy, capacity: 25, updatedAt: expect.any(String) },
    });
    expect(
      (
        await platform.rest('gym', 'PUT', `/locations/${location.id}`, {
          token: await platform.demo('admin@aqua.test'),
          body: { capacity: 1 },
        })
      ).status,
    ).toBe(404);
    expect(
      (
        await platform.rest('gym', 'PUT', `/locations/${location.id}`, {
          token: await platform.demo('maya@iron.test'),
          body: { capacity: 1 },
        })
      ).status,
    ).toBe(403);
    for (const id of [randomUUID(), 'x'])
      expect((await platform.rest('gym', 'PUT', `/locations/${id}`, { token, body: {} })).status).toBe(404);
  });

  it('are read with the latest change after each field of a mutation that changes them twice', async () => {
    const token = await platform.demo('admin@iron.test');
    const body = place();
    const { id } = (await platform.rest('gym', 'POST', '/locations', { token, body })).body;
    const { data } = await platform.graph(
      'gym',
      `mutation ($one: UpdateLocationInput!, $other: UpdateLocationInput!) {
        one: updateLocation(input: $one) { gym { locations { id name } } }
        other: updateLocation(input: $other) { gym { locations { id name } } }
      }`,
      { one: { id, name: 'Once' }, other: { id, name: 'Twice' } },
      { token },
    );
    expect(data.one.gym.locations).toContainEqual({ id, name: 'Once' });
    expect(data.other.gym.locations).toContainEqual({ id, name: 'Twice' });
  });

  it('are hidden from users of other gyms in `_entities` and below a gym', async () => {
    const [location] = (
      await platform.rest('gym', 'GET', '/locations', { token: await platform.demo('maya@iron.test') })
    ).body;
    const entities =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Location { name } ... on Gym { locations { name } } } }';
    const representations = [
      { __typename: 'Location', id: location.id },
      { __typename: 'Gym', id: ironTemple.id },
    ];
    const own = await platform.graph(
      'gym',
      entities,
      { representations },
      { token: await platform.demo('leo@iron.test') },
    );
    expect(own.data._entities).toEqual([
      { name: location.name },
      { locations: expect.arrayContaining([{ name: location.name }]) },
    ]);
    const stranger = await platform.graph(
      'gym',
      entities,
      { representations },
      { token: await platform.demo('zoe@aqua.test') },
    );
    expect(stranger.data._entities).toEqual([null, { locations: null }]);
    expect(stranger.errors?.map(({ extensions }) => extensions.code)).toEqual(
      expect.arrayContaining(['NOT_FOUND', 'FORBIDDEN']),
    );
    const nobody = await platform.graph('gym', entities, { representations });
    expect(nobody.data._entities).toEqual([null, { locations: null }]);
  });
});

describe('an Idempotency-Key', () => {
  const send = async (
    key: string,
    body: object,
    email: 'admin@iron.test' | 'admin@aqua.test' = 'admin@iron.test',
  ) =>
    platform.rest('gym', 'POST', '/locations', {
      token: await platform.demo(email),
      headers: { 'idempotency-key': key },
      body,
    });
  const named = async (name: string) =>
    (
      await platform.rest('gym', 'GET', '/locations', { token: await platform.demo('admin@iron.test') })
    ).body.filter((location: { name: string }) => location.name === name);

  it('returns the same answer and writes once, for any number of simultaneous requests', async () => {
    const [key, input] = [randomUUID(), place()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key, input)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    expect(await named(input.name)).toHaveLength(1);
  });

  it('is refused with another request; another caller may use the same key', async () => {
    const key = randomUUID();
    expect((await send(key, place())).status).toBe(201);
    expect(await send(key, place())).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect((await send(key, place(), 'admin@aqua.test')).status).toBe(201);
  });

  it('is not used up by an invalid request', async () => {
    const key = randomUUID();
    expect((await send(key, place({ capacity: 0 }))).status).toBe(400);
    expect((await send(key, place())).status).toBe(201);
  });

  it.each(['', 'with space', 'x'.repeat(256)])('must be well-formed: %j', async (key) => {
    expect((await send(key, place())).status).toBe(400);
  });
});
