import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidv7 } from '#server/ids.ts';
import { startPlatform, type CallOptions, type TestPlatform } from '../support/platform.ts';
import { MEMBER_OF } from '../support/platform/test-accounts.ts';

describe('a gym that the wizard sets up', () => {
  let platform: TestPlatform;
  let wizard: string;
  let superAdmin: string;
  let gym: { id: string; name: string; slug: string };
  let locationId: string;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'gym'] });
    wizard = await platform.serviceToken('wizard');
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());
  const call = (method: string, path: string, token: string | undefined, body?: object) => {
    const options: CallOptions = { ...(token && { token }), ...(body && { body }) };
    return platform.rest('gym', method, path, options);
  };
  const entityOf = async (token: string) => {
    const query =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Gym { id name } } }';
    const representations = [{ __typename: 'Gym', id: gym.id }];
    const { data } = await platform.graph('gym', query, { representations }, { token });
    return data._entities[0];
  };
  const made = async (path: string, body: object) => {
    const answer = await call('POST', path, wizard, body);
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  };
  const open = (token: string) => call('POST', `/gyms/${gym.id}/open`, token);
  beforeEach(async () => {
    const id = uuidv7();
    gym = { id, name: `Gym ${id}`, slug: `gym-${id.slice(-12)}` };
    await made('/gyms', { ...gym, opened: false });
    locationId = uuidv7();
    const location = { id: locationId, gymId: id, name: 'Hall', timezone: 'UTC', capacity: 5 };
    await made('/locations', location);
  });
  const inThreeDays = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString();
  const writes = (): [path: string, body: object][] => [
    ['/posts', { text: 'First!' }],
    ['/locations', { name: 'Other', timezone: 'UTC', capacity: 5 }],
    ['/announcements', { title: 'We open', text: 'soon' }],
    [
      '/challenges',
      { title: 'Go', metric: 'CHECK_INS', goal: 5, startsAt: inThreeDays, endsAt: '2999-01-01T00:00:00Z' },
    ],
  ];

  it('is visible only to the wizard service until it is opened', async () => {
    const member = await platform.register();
    for (const token of [undefined, member.token, superAdmin, await platform.serviceToken('nutrition')]) {
      const listed = (await call('GET', '/gyms', token)).body as { id: string }[];
      expect(listed.map(({ id }) => id)).not.toContain(gym.id);
      expect((await call('GET', `/gyms?name=${encodeURIComponent(gym.name)}`, token)).body).toEqual([]);
      for (const path of [`/gym/config/${gym.id}`, `/gym/config/${gym.slug}`, `/gym/config/${gym.id}/tokens`])
        expect((await call('GET', path, token)).status).toBe(404);
      const { data } = await platform.graph(
        'gym',
        'query ($id: ID!, $slug: String!) { byId: gym(id: $id) { id } bySlug: gym(slug: $slug) { id } gymConfig(gymId: $id) { version } }',
        { id: gym.id, slug: gym.slug },
        token ? { token } : {},
      );
      expect(data).toEqual({ byId: null, bySlug: null, gymConfig: null });
    }
    for (const token of [member.token, superAdmin, await platform.serviceToken('nutrition')])
      expect(await entityOf(token)).toBeNull();
    for (const path of [`/gym/config/${gym.id}`, `/locations/${locationId}`])
      expect((await call('GET', path, wizard)).status).toBe(200);
    expect(await entityOf(wizard)).toEqual({ id: gym.id, name: gym.name });
  });

  it('accepts no members, visits and other writes before it is opened, neither from its own users nor from a SUPER_ADMIN', async () => {
    await expect(platform.register(gym.id)).rejects.toThrow(
      'gymId: expected the id of a gym; there is no gym with this id',
    );
    const early = await platform.register(null);
    // This user gets the rights of the gym's invited admin.
    await platform.sql('identity', MEMBER_OF, [gym.id, early.id]);
    await platform.sql('identity', `update user_account set role = 'GYM_ADMIN' where id = $1`, [early.id]);
    const token = await platform.login(early.email, early.password);
    expect((await call('GET', '/locations', token)).body).toEqual([]);
    expect((await call('GET', `/locations?gymId=${gym.id}`, superAdmin)).body).toEqual([]);
    const { qrCode } = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    for (const each of [token, superAdmin]) {
      expect((await call('GET', `/locations/${locationId}`, each)).status).toBe(404);
      expect((await call('POST', '/locations/check-in', each, { qrCode, locationId })).status).toBe(404);
      expect((await call('PUT', `/gym/${gym.id}/products`, each, { products: [] })).status).toBe(404);
      for (const [path, body] of writes())
        expect(await call('POST', path, each, { ...body, gymId: gym.id })).toMatchObject({
          status: 400,
          body: { code: 'VALIDATION_FAILED', errors: [{ path: 'gymId' }] },
        });
    }
    for (const [path, body] of writes())
      expect((await call('POST', path, superAdmin, { ...body, gymId: randomUUID() })).status).toBe(400);
    expect((await call('DELETE', `/gyms/${gym.id}`, wizard)).status).toBe(204);
  });

  it('is opened by the wizard service, once, and is then visible to everybody', async () => {
    expect((await open(superAdmin)).status).toBe(403);
    expect((await open(await platform.serviceToken('nutrition'))).status).toBe(404);
    const answers = await Promise.all(Array.from({ length: 5 }, () => open(wizard)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const opened = await platform.sql(
      'gym',
      `select 1 from audit_event where action = 'GYM_OPENED' and gym_id = $1`,
      [gym.id],
    );
    expect(opened).toHaveLength(1);
    expect((await call('GET', `/gym/config/${gym.slug}`, undefined)).status).toBe(200);
    const member = await platform.register(gym.id);
    expect((await call('GET', '/locations', member.token)).body).toHaveLength(1);
    const { qrCode } = (await platform.rest('identity', 'GET', '/users/me', { token: member.token })).body;
    expect((await call('POST', '/locations/check-in', member.token, { qrCode, locationId })).status).toBe(
      201,
    );
    for (const [path, body] of writes())
      expect((await call('POST', path, superAdmin, { ...body, gymId: gym.id })).status).toBe(201);
    expect((await call('DELETE', `/gyms/${gym.id}`, wizard)).status).toBe(409);
  });

  it('can be created unopened only by services: the gyms of a SUPER_ADMIN are open', async () => {
    const other = { name: 'Mine', slug: `mine-${randomUUID()}` };
    expect((await call('POST', '/gyms', superAdmin, { ...other, opened: false })).status).toBe(400);
    expect((await call('POST', '/gyms', superAdmin, other)).status).toBe(201);
    expect((await call('GET', `/gym/config/${other.slug}`, undefined)).status).toBe(200);
  });
});
