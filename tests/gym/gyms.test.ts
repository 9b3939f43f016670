import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let superAdmin: string;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;
const get = (idOrSlug: string) => platform.rest('gym', 'GET', `/gyms/${idOrSlug}`);
const put = (gymId: string, body: object, token = superAdmin, headers = {}) =>
  platform.rest('gym', 'PUT', `/gyms/${gymId}`, { token, body, headers });

async function newGym(): Promise<{ id: string; slug: string }> {
  const { body } = await platform.rest('gym', 'POST', '/gyms', {
    token: superAdmin,
    body: { name: 'A new gym', slug: `gym-${randomUUID().slice(0, 8)}` },
  });
  return body;
}

it('everybody can read a gym by its id or slug, with time zone, join policy, version and whether it is active', async () => {
  const byId = await get(ironTemple.id);
  expect(byId.body).toMatchObject({
    ...ironTemple,
    timezone: 'Europe/Berlin',
    joinPolicy: 'OPEN',
    active: true,
    version: expect.any(Number),
  });
  expect((await get(ironTemple.slug)).body).toEqual(byId.body);
  expect((await get(randomUUID())).status).toBe(404);
  expect((await get('no-such-gym')).status).toBe(404);
  const { data } = await platform.graph(
    'gym',
    `{ gym(id: "${ironTemple.id}") { name timezone joinPolicy active version } }`,
  );
  const { name, timezone, joinPolicy, active, version } = byId.body;
  expect(data.gym).toEqual({ name, timezone, joinPolicy, active, version });
});

it('a GYM_ADMIN changes name, time zone and join policy of their own gym, but not whether it is active', async () => {
  const { body: before } = await get(ironTemple.id);
  const change = { name: 'Iron Temple II', timezone: 'Europe/Vienna', joinPolicy: 'APPROVAL' };
  const changed = await put(ironTemple.id, change, staff);
  expect(changed.body).toMatchObject({ ...change, version: before.version + 1, active: true });
  expect((await put(ironTemple.id, { active: false }, staff)).status).toBe(403);
  expect((await put(ironTemple.id, { active: true }, staff)).status).toBe(200); // no change
  expect((await put(aquaClub.id, change, staff)).status).toBe(403);
  expect((await put(ironTemple.id, change, await platform.demo('maya@iron.test'))).status).toBe(403);
  const { data } = await platform.graph(
    'gym',
    'mutation Update($input: UpdateGymInput!) { updateGym(input: $input) { name timezone joinPolicy } }',
    { input: { gymId: ironTemple.id, name: 'Iron Temple', timezone: 'Europe/Berlin', joinPolicy: 'OPEN' } },
    { token: staff },
  );
  expect(data.updateGym).toEqual({ name: 'Iron Temple', timezone: 'Europe/Berlin', joinPolicy: 'OPEN' });
  const audited = await platform.sql(
    'gym',
    `select details from audit_event where action = 'GYM_CHANGED' and gym_id = $1 order by id limit 1`,
    [ironTemple.id],
  );
  expect(audited[0].details.to).toMatchObject(change);
});

it('a wrong value is refused with the path of its field', async () => {
  for (const [field, value] of [
    ['timezone', 'Mars/Olympus'],
    ['joinPolicy', 'MAYBE'],
    ['name', 'x'],
    ['active', 'yes'],
  ] as const) {
    const { status, body } = await put(ironTemple.id, { [field]: value });
    expect([status, body.errors[0].path]).toEqual([400, field]);
  }
});

it('of two changes of one version, one succeeds', async () => {
  const gym = await newGym();
  const { version } = (await get(gym.id)).body;
  const answers = await Promise.all([
    put(gym.id, { name: 'One name', version }),
    put(gym.id, { name: 'Another name' }, superAdmin, { 'If-Match': `"${version}"` }),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
});

it('a gym that is not active is not listed but can be read, and refuses check-ins, announcements, comments, likes and joins', async () => {
  const gym = await newGym();
  const location = await platform.rest('gym', 'POST', '/locations', {
    token: superAdmin,
    body: { gymId: gym.id, name: 'Hall', timezone: 'UTC', capacity: 5 },
  });
  const member = await platform.register(gym.id);
  const as = (method: string, path: string, body?: object) =>
    platform.rest('gym', method, path, { token: member.token, ...(body && { body }) });
  const { body: shared } = await as('POST', '/posts', { text: 'First day' });
  const { body: challenge } = await platform.rest('gym', 'POST', '/challenges', {
    token: superAdmin,
    body: {
      gymId: gym.id,
      title: 'Ten visits',
      metric: 'CHECK_INS',
      goal: 10,
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  const { body: me } = await platform.rest('identity', 'GET', '/users/me', { token: member.token });
  expect((await put(gym.id, { active: false })).body.active).toBe(false);
  const ids = async (query = '', token?: string) =>
    (await platform.rest('gym', 'GET', `/gyms${query}`, { ...(token && { token }) })).body.map(
      ({ id }: { id: string }) => id,
    );
  expect(await ids()).not.toContain(gym.id);
  expect(await ids('?active=false', superAdmin)).toContain(gym.id);
  expect((await platform.rest('gym', 'GET', '/gyms?active=false', { token: staff })).status).toBe(403);
  expect((await get(gym.id)).body).toMatchObject({ id: gym.id, active: false });
  expect((await platform.rest('gym', 'GET', '/locations', { token: member.token })).body).toHaveLength(1);
  const checkIn = await platform.rest('gym', 'POST', '/locations/check-in', {
    token: member.token,
    body: { qrCode: me.qrCode, locationId: location.body.id },
  });
  expect([checkIn.status, checkIn.body.code]).toEqual([409, 'CONFLICT']);
  const post = () =>
    platform.rest('gym', 'POST', '/announcements', {
      token: superAdmin,
      body: { gymId: gym.id, title: 'News', text: 'x' },
    });
  expect((await post()).status).toBe(409);
  for (const [method, path, body] of [
    ['POST', `/posts/${shared.id}/comments`, { text: 'Me, too' }],
    ['PUT', `/posts/${shared.id}/like`, undefined],
    ['POST', `/challenges/${challenge.id}/join`, undefined],
  ] as const)
    expect([path, await as(method, path, body)]).toMatchObject([
      path,
      { status: 409, body: { detail: expect.stringContaining('not active') } },
    ]);
  expect((await put(gym.id, { active: true })).status).toBe(200);
  expect((await post()).status).toBe(201);
  expect(await ids()).toContain(gym.id);
  expect(await ids(`?name=${encodeURIComponent('A new gym')}`)).toContain(gym.id);
});

it.each(['ΓΥΜΝΑΣΤΗΡΙΟ ΑΣ', 'İstanbul Gym'])(
  'a gym with the name %s is found by this name, also in another case',
  async (name) => {
    const own = `${name} ${randomUUID().slice(0, 8)}`;
    const { status, body } = await platform.rest('gym', 'POST', '/gyms', {
      token: superAdmin,
      body: { name: own, slug: `gym-${randomUUID().slice(0, 8)}` },
    });
    expect(status).toBe(201);
    const [row] = await platform.sql<{ lower: string }>('gym', 'select lower($1) as lower', [own]);
    for (const asked of [own, ` ${own} `, row?.lower ?? ''])
      expect(
        (await platform.rest('gym', 'GET', `/gyms?name=${encodeURIComponent(asked)}`)).body,
      ).toMatchObject([{ id: body.id }]);
  },
);
