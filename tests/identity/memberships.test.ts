import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { claimsOf, holdingAccount, loggedIn } from './support.ts';

const { ironTemple, aquaClub } = DEMO_GYMS;
const STATUSES = ['PENDING', 'ACTIVE', 'FROZEN', 'ENDED'] as const;
type Status = (typeof STATUSES)[number];

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const set = (userId: string, body: object, token = staff) =>
  platform.rest('identity', 'PUT', `/users/${userId}/membership`, { token, body });
const get = async (userId: string, token = staff) =>
  (await platform.rest('identity', 'GET', `/users/${userId}`, { token })).body;

/** Creates a user with this membership of Iron Temple; without a password, because hashing one takes time. */
async function memberWith(status: Status): Promise<{ id: string }> {
  const id = randomUUID();
  const gymId = status === 'ACTIVE' || status === 'FROZEN' ? ironTemple.id : null;
  await platform.sql(
    'identity',
    `insert into user_account (id, email, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, membership_awaits, qr_code, created_at, updated_at)
     values ($1::text::uuid, $1::text || '@example.test', 'Somebody', 'MEMBER', $2, $3, $4, now(), $5, $1::text, now(), now())`,
    [id, gymId, ironTemple.id, status, status === 'PENDING' ? 'APPROVAL' : null],
  );
  return { id };
}

describe('a change of a membership', () => {
  /** For each status, the statuses to which staff may change it. */
  const ALLOWED: Record<Status, readonly Status[]> = {
    PENDING: ['ACTIVE', 'ENDED'],
    ACTIVE: ['ACTIVE', 'FROZEN', 'ENDED'],
    FROZEN: ['ACTIVE', 'FROZEN', 'ENDED'],
    ENDED: ['ACTIVE', 'ENDED'],
  };
  const cases = STATUSES.flatMap((from) =>
    STATUSES.map(
      (to) => [from, to, to === 'PENDING' ? 400 : ALLOWED[from].includes(to) ? 200 : 409] as const,
    ),
  );
  it.each(cases)(
    'from %s to %s is answered with %i by REST, and in the same way by the graph',
    async (from, to, status) => {
      const [one, other] = [await memberWith(from), await memberWith(from)];
      const rest = await set(one.id, { status: to, reason: 'Because' });
      const graph = await platform.graph(
        'identity',
        `mutation Set($input: SetMembershipInput!) { setMembership(input: $input) { gymId membership { gymId status reason } } }`,
        { input: { userId: other.id, status: to, reason: 'Because' } },
        { token: staff },
      );
      expect([rest.status, graph.errors?.[0]?.extensions?.http ?? { status: 200 }]).toEqual([
        status,
        { status },
      ]);
      const isAllowed = status === 200;
      const expected = {
        gymId:
          (isAllowed ? to : from) === 'ACTIVE' || (isAllowed ? to : from) === 'FROZEN' ? ironTemple.id : null,
        membership: {
          gymId: ironTemple.id,
          status: isAllowed ? to : from,
          reason: isAllowed ? 'Because' : null,
        },
      };
      for (const { id } of [one, other]) expect(await get(id)).toMatchObject(expected);
      expect(graph.data?.setMembership ?? null).toEqual(isAllowed ? expected : null);
    },
  );

  it('of a user without a membership is refused, and so is one of an unknown user', async () => {
    const { id } = await platform.register(null);
    expect((await set(id, { status: 'ACTIVE' }, superAdmin)).status).toBe(409);
    expect((await set(id, { status: 'ACTIVE' })).status).toBe(404);
    expect((await set(randomUUID(), { status: 'ACTIVE' })).status).toBe(404);
  });

  it('is for the staff of the gym only, and nobody changes their own membership', async () => {
    const member = await platform.register();
    const admin = demoPerson('admin@iron.test');
    const change = { status: 'ENDED' };
    expect((await set(member.id, change, member.token)).status).toBe(403);
    expect((await set(member.id, change, await platform.demo('leo@iron.test'))).status).toBe(403);
    expect((await set(member.id, change, otherStaff)).status).toBe(404);
    expect((await set(admin.id, change)).status).toBe(403);
    const colleague = await platform.register();
    await platform.rest('identity', 'PUT', `/users/${colleague.id}/role`, {
      token: superAdmin,
      body: { role: 'GYM_ADMIN' },
    });
    expect((await set(colleague.id, change)).status).toBe(403);
    expect((await set(colleague.id, change, superAdmin)).status).toBe(200);
    const self = demoPerson('super@demo.test');
    expect((await set(self.id, change, superAdmin)).status).toBe(403);
  });

  it('is audited, without the words of the reason', async () => {
    const member = await platform.register();
    await set(member.id, { status: 'FROZEN', reason: 'A broken leg' });
    const { body } = await platform.rest('identity', 'GET', `/audit-events?userId=${member.id}`, {
      token: superAdmin,
    });
    expect(body).toMatchObject([
      { action: 'MEMBERSHIP_CHANGED', details: { gymId: ironTemple.id, from: 'ACTIVE', to: 'FROZEN' } },
      { action: 'LOGGED_IN' },
    ]);
    expect(JSON.stringify(body)).not.toContain('broken leg');
  });

  it('to what the membership is already has no effect, and is not audited', async () => {
    const member = await memberWith('ACTIVE');
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const changes = [
      { status: 'FROZEN', until, reason: 'A broken leg' },
      { status: 'FROZEN', until, reason: 'A broken arm' },
      { status: 'FROZEN', until: null, reason: 'A broken arm' },
      { status: 'ENDED' },
    ];
    for (const change of changes) {
      const first = await set(member.id, change);
      const second = await set(member.id, change);
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body).toEqual(first.body);
    }
    const { body } = await platform.rest('identity', 'GET', `/audit-events?userId=${member.id}`, {
      token: superAdmin,
    });
    expect(body).toHaveLength(changes.length);
  });

  it('by two staff at once leaves one of the two results, and each request is answered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const member = await memberWith('PENDING');
      const answers = await Promise.all([
        set(member.id, { status: 'ACTIVE' }),
        set(member.id, { status: 'ENDED' }, superAdmin),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]); // PENDING, ACTIVE, ENDED, or PENDING, ENDED, ACTIVE
      const { membership, gymId } = await get(member.id);
      expect(gymId).toBe(membership.status === 'ACTIVE' ? ironTemple.id : null);
      const froze = await Promise.all([
        set(member.id, { status: 'ENDED' }),
        set(member.id, { status: 'FROZEN' }, superAdmin),
      ]);
      for (const { status } of froze) expect([200, 409]).toContain(status);
    }
  });
});

it('a membership that ends while it is prolonged does not begin again without a question to the gym service', async () => {
  const { id } = await memberWith('ACTIVE');
  const [ended, prolonged] = await holdingAccount(platform, id, async (waiting) => {
    const first = set(id, { status: 'ENDED' });
    await waiting(1);
    const second = set(id, { status: 'ACTIVE' }, superAdmin);
    await waiting(2);
    return [first, second];
  }).then((answers) => Promise.all(answers));
  expect(ended?.status).toBe(200);
  expect(prolonged?.body).toMatchObject({ code: 'CONFLICT', detail: expect.stringContaining('has ended') });
  expect((await set(id, { status: 'ACTIVE' })).status).toBe(200);
});

describe('the end of a status', () => {
  it.each([
    ['ACTIVE', 'ENDED', null],
    ['FROZEN', 'ACTIVE', ironTemple.id],
  ] as const)('%s becomes %s at `until` in answers, and soon in the table', async (status, next, gymId) => {
    const member = await platform.register();
    const until = new Date(Date.now() + 700).toISOString();
    expect((await set(member.id, { status, until })).body.membership).toMatchObject({ status, until });
    await eventually(async () => Date.now() > Date.parse(until));
    expect(await get(member.id)).toMatchObject({
      gymId,
      membership: { status: next, since: until, until: null },
    });
    await eventually(
      async () =>
        (
          await platform.sql(
            'identity',
            'select 1 from user_account where id = $1 and membership_status = $2',
            [member.id, next],
          )
        ).length > 0,
    );
  });

  it('that was removed does not come at its former time', async () => {
    const member = await platform.register();
    const soon = new Date(Date.now() + 500).toISOString();
    await set(member.id, { status: 'ACTIVE', until: soon });
    await set(member.id, { status: 'ACTIVE' });
    await platform.sql(
      'identity',
      `select graphile_worker.add_job('membership_until', json_build_object('userId', $1::text))`,
      [member.id],
    );
    await eventually(async () => Date.now() > Date.parse(soon) + 300);
    expect((await get(member.id)).membership).toMatchObject({ status: 'ACTIVE', until: null });
  });

  it('is refused in the past, and for an ended membership', async () => {
    const member = await platform.register();
    for (const body of [
      { status: 'ACTIVE', until: '2020-01-01T00:00:00Z' },
      { status: 'ENDED', until: '2030-01-01T00:00:00Z' },
      { status: 'ACTIVE', until: 'tomorrow' },
    ]) {
      const { status, body: problem } = await set(member.id, body);
      expect([status, problem.errors[0].path]).toEqual([400, 'until']);
    }
  });
});

describe('access tokens', () => {
  it('of a former gym are refused, and a refresh returns a token without this gym; a freeze changes nothing', async () => {
    const { email, password, id } = await platform.register();
    const { token, refreshToken } = await loggedIn(platform, { email, password });
    await set(id, { status: 'FROZEN' });
    const me = (withToken: string) => platform.rest('identity', 'GET', '/users/me', { token: withToken });
    expect((await me(token)).body).toMatchObject({ gymId: ironTemple.id, membership: { status: 'FROZEN' } });
    await set(id, { status: 'ENDED', reason: 'Moved' });
    expect((await me(token)).status).toBe(401);
    const refreshed = await platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken } });
    expect(claimsOf(refreshed.body.token).gymId).toBeNull();
    expect((await me(refreshed.body.token)).body).toMatchObject({
      gymId: null,
      membership: { gymId: ironTemple.id, status: 'ENDED', reason: 'Moved' },
    });
    await set(id, { status: 'ACTIVE' });
    const again = await platform.rest('identity', 'POST', '/auth/refresh', {
      body: { refreshToken: refreshed.body.refreshToken },
    });
    expect(claimsOf(again.body.token).gymId).toBe(ironTemple.id);
  });
});

describe('who sees a membership', () => {
  it('is the user and the staff of its gym, also after its end, and no other member', async () => {
    const member = await platform.register();
    await set(member.id, { status: 'FROZEN', reason: 'Ill' });
    expect((await get(member.id, member.token)).membership.reason).toBe('Ill');
    expect((await get(member.id)).membership.reason).toBe('Ill');
    expect(await get(member.id, await platform.demo('leo@iron.test'))).not.toHaveProperty('membership');
    await set(member.id, { status: 'ENDED' });
    const ended = await get(member.id);
    expect(ended).toMatchObject({ email: member.email, membership: { status: 'ENDED' } });
    expect(ended).not.toHaveProperty('qrCode');
    for (const token of [otherStaff, await platform.demo('leo@iron.test')])
      expect((await platform.rest('identity', 'GET', `/users/${member.id}`, { token })).status).toBe(404);
  });

  it('is the staff of the next gym only, after a move', async () => {
    const member = await platform.register();
    const moved = await platform.rest('identity', 'PUT', `/users/${member.id}/gym`, {
      token: superAdmin,
      body: { gymId: aquaClub.id },
    });
    expect(moved.body).toMatchObject({
      gymId: aquaClub.id,
      membership: { gymId: aquaClub.id, status: 'ACTIVE' },
    });
    expect((await platform.rest('identity', 'GET', `/users/${member.id}`, { token: staff })).status).toBe(
      404,
    );
    const left = await platform.rest('identity', 'PUT', `/users/${member.id}/gym`, {
      token: otherStaff,
      body: { gymId: null },
    });
    expect(left.body).toMatchObject({ gymId: null, membership: { gymId: aquaClub.id, status: 'ENDED' } });
  });
});
