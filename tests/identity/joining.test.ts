import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { claimsOf, loggedIn, mailedToken, me, register, someone, verificationToken } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

type Policy = 'OPEN' | 'VERIFIED_EMAIL' | 'APPROVAL' | 'INVITE';

async function gymWith(joinPolicy: Policy): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/gyms', {
    token: superAdmin,
    body: { name: 'Another gym', slug: `gym-${randomUUID().slice(0, 8)}`, joinPolicy },
  });
  return body.id as string;
}
const change = (gymId: string, body: object) =>
  platform.rest('gym', 'PUT', `/gyms/${gymId}`, { token: superAdmin, body });
const verify = (token: string) =>
  platform.rest('identity', 'POST', '/auth/verify-email', { body: { token } });
const join = (gymId: string, token: string) =>
  platform.rest('identity', 'POST', `/gyms/${gymId}/join`, { token });
const joinByGraph = async (gymId: string, token: string) => {
  const { data, errors } = await platform.graph(
    'identity',
    'mutation Join($input: JoinGymInput!) { joinGym(input: $input) { gymId membership { gymId status } } }',
    { input: { gymId } },
    { token },
  );
  return { user: data?.joinGym ?? null, code: errors?.[0]?.extensions.code };
};

const OUTCOMES = [
  ['OPEN', 'ACTIVE'],
  ['VERIFIED_EMAIL', 'PENDING'],
  ['APPROVAL', 'PENDING'],
] as const;

describe.each(OUTCOMES)('a gym with the join policy %s', (policy, status) => {
  it(`makes the membership of a new account ${status}`, async () => {
    const gymId = await gymWith(policy);
    const answer = await register(platform, someone({ gymId }));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      gymId: status === 'ACTIVE' ? gymId : null,
      membership: { gymId, status },
      emailVerified: false,
    });
  });

  it(`makes the membership of an account without a gym ${status}, by REST and by the graph`, async () => {
    const gymId = await gymWith(policy);
    const [one, other] = [await platform.register(null), await platform.register(null)];
    const joined = await join(gymId, one.token);
    expect([joined.status, joined.body.membership.status]).toEqual([201, status]);
    expect((await joinByGraph(gymId, other.token)).user).toEqual({
      gymId: status === 'ACTIVE' ? gymId : null,
      membership: { gymId, status },
    });
    // The token from before stays valid, and a new one has the gym.
    expect((await me(platform, one.token)).status).toBe(200);
    expect(claimsOf((await loggedIn(platform, one)).token).gymId).toBe(status === 'ACTIVE' ? gymId : null);
  });
});

describe('a gym that admits only invited users', () => {
  it('refuses a registration, which makes no account, and a user who wants to join', async () => {
    const gymId = await gymWith('INVITE');
    const body = someone({ gymId });
    const refused = await register(platform, body);
    expect([refused.status, refused.body.code]).toEqual([403, 'INVITATION_REQUIRED']);
    expect((await register(platform, someone({ email: body.email }))).status).toBe(201);
    const account = await platform.register(null);
    expect((await join(gymId, account.token)).body.code).toBe('INVITATION_REQUIRED');
    expect((await joinByGraph(gymId, account.token)).code).toBe('INVITATION_REQUIRED');
  });

  it('has the invited user as a member, whose email is verified once they set a password', async () => {
    const gymId = await gymWith('INVITE');
    const email = `invited-${randomUUID()}@example.test`;
    await platform.rest('identity', 'POST', '/invitations', {
      token: superAdmin,
      body: { email, displayName: 'Invited', gymId },
    });
    const password = 'a-good-password';
    await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
      body: { token: await mailedToken(platform, email), password },
    });
    const { token } = await loggedIn(platform, { email, password });
    expect((await me(platform, token)).body).toMatchObject({
      gymId,
      emailVerified: true,
      membership: { status: 'ACTIVE' },
    });
  });
});

describe('a token that verifies an email', () => {
  it('works once, and makes a membership ACTIVE that waited for it', async () => {
    const gymId = await gymWith('VERIFIED_EMAIL');
    const body = someone({ gymId });
    await register(platform, body);
    const token = await verificationToken(platform, body.email);
    const answers = await Promise.all([verify(token), verify(token)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 400]));
    const used = await verify(token);
    expect([used.status, used.body.errors[0].path]).toEqual([400, 'token']);
    const { token: access } = await loggedIn(platform, body);
    expect((await me(platform, access)).body).toMatchObject({
      gymId,
      emailVerified: true,
      membership: { status: 'ACTIVE' },
    });
  });

  it('makes no membership ACTIVE that waits for the staff', async () => {
    const gymId = await gymWith('APPROVAL');
    const body = someone({ gymId });
    await register(platform, body);
    await verify(await verificationToken(platform, body.email));
    const { token } = await loggedIn(platform, body);
    expect((await me(platform, token)).body).toMatchObject({
      emailVerified: true,
      membership: { status: 'PENDING' },
    });
  });

  it('admits nobody if the gym has become stricter since the user applied', async () => {
    const gymId = await gymWith('VERIFIED_EMAIL');
    const body = someone({ gymId });
    await register(platform, body);
    const token = await verificationToken(platform, body.email);
    expect((await change(gymId, { joinPolicy: 'INVITE' })).status).toBe(200);
    expect((await verify(token)).status).toBe(204);
    const { token: access } = await loggedIn(platform, body);
    expect((await me(platform, access)).body).toMatchObject({
      emailVerified: true,
      membership: { status: 'PENDING' },
    });
  });

  it('that has expired, or was never sent, is refused at `token`', async () => {
    const body = someone();
    await register(platform, body);
    const token = await verificationToken(platform, body.email);
    await platform.sql(
      'identity',
      `update email_verification set expires_at = now() where user_id = (select id from user_account where email = $1)`,
      [body.email],
    );
    for (const wrong of [token, 'x'.repeat(43)]) {
      const { status, body: problem } = await verify(wrong);
      expect([status, problem.errors[0].path]).toEqual([400, 'token']);
    }
  });

  it('is mailed at most five times an hour, and not again once the email is verified; the answer is the same', async () => {
    const body = someone();
    await register(platform, body);
    const { token } = await loggedIn(platform, body);
    const resend = async () =>
      (await platform.rest('identity', 'POST', '/auth/verify-email/resend', { token })).status;
    for (let count = 0; count < 7; count += 1) expect(await resend()).toBe(202);
    expect((await platform.rest('identity', 'POST', '/auth/verify-email/resend')).status).toBe(401);
    const sent = () =>
      platform.sql(
        'identity',
        'select 1 from email_verification where user_id = (select id from user_account where email = $1)',
        [body.email],
      );
    expect(await sent()).toHaveLength(5);
    await verify(await verificationToken(platform, body.email, 2));
    expect(await resend()).toBe(202);
    expect(await sent()).toHaveLength(0);
    const { data } = await platform.graph('identity', 'mutation { resendVerification }', {}, { token });
    expect(data.resendVerification).toBe(true);
  });

  it('is not needed after the user has set a password with a mailed token', async () => {
    const body = someone();
    await register(platform, body);
    await platform.rest('identity', 'POST', '/auth/password-reset', { body: { email: body.email } });
    const reset = { token: await mailedToken(platform, body.email), password: 'another-good-password' };
    // A token for a password is no token that verifies an email.
    expect((await verify(reset.token)).status).toBe(400);
    await platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: reset });
    const { token } = await loggedIn(platform, { email: body.email, password: reset.password });
    expect((await me(platform, token)).body.emailVerified).toBe(true);
  });
});

describe('joining', () => {
  it('is refused for a user with a gym, for staff, for an unknown gym, and for a gym that is not active', async () => {
    const gymId = await gymWith('OPEN');
    const member = await platform.register();
    expect((await join(gymId, member.token)).status).toBe(409);
    expect((await join(gymId, superAdmin)).status).toBe(403);
    const admin = await platform.register();
    for (const [path, body] of [
      [`/users/${admin.id}/role`, { role: 'GYM_ADMIN' }],
      [`/users/${admin.id}/gym`, { gymId: null }],
    ] as const)
      await platform.rest('identity', 'PUT', path, { token: superAdmin, body });
    // An admin without a gym would otherwise run the gym that they join.
    expect((await join(gymId, (await loggedIn(platform, admin)).token)).status).toBe(403);
    const account = await platform.register(null);
    expect((await join(randomUUID(), account.token)).status).toBe(404);
    await change(gymId, { active: false });
    expect((await join(gymId, account.token)).status).toBe(409);
    expect((await register(platform, someone({ gymId }))).status).toBe(409);
  });

  it('twice at once makes one membership; if the membership is ended at the same time, the last change stays', async () => {
    const gymId = await gymWith('OPEN');
    const account = await platform.register(null);
    const answers = await Promise.all([join(gymId, account.token), join(gymId, account.token)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const set = (status: string) =>
      platform.rest('identity', 'PUT', `/users/${account.id}/membership`, {
        token: superAdmin,
        body: { status },
      });
    for (let round = 0; round < 4; round += 1) {
      await set('ENDED');
      const { token } = await loggedIn(platform, account);
      const [joined, ended] = await Promise.all([join(gymId, token), set('ENDED')]);
      expect([joined.status, ended.status]).toEqual([201, 200]);
      const { body } = await platform.rest('identity', 'GET', `/users/${account.id}`, { token: superAdmin });
      expect(body.gymId).toBe(body.membership.status === 'ACTIVE' ? gymId : null);
      const { body: events } = await platform.rest(
        'identity',
        'GET',
        `/events?gymId=${gymId}&types=member.joined,member.removed`,
        { token: superAdmin },
      );
      const types = (events.events as { type: string; subject: string }[])
        .filter(({ subject }) => subject === `member/${account.id}`)
        .map(({ type }) => type);
      // Joined and removed alternate, and the last one agrees with what is stored.
      types.forEach((type, index) => expect(type).toBe(index % 2 === 0 ? 'member.joined' : 'member.removed'));
      expect(types.at(-1)).toBe(body.membership.status === 'ACTIVE' ? 'member.joined' : 'member.removed');
    }
  });

  it('obeys the policy of the moment: a registration that begins after a stricter policy was accepted never gets the earlier one', async () => {
    const gymId = await gymWith('OPEN');
    const before = Array.from({ length: 4 }, () => register(platform, someone({ gymId })));
    expect((await change(gymId, { joinPolicy: 'APPROVAL' })).status).toBe(200);
    const after = await Promise.all(Array.from({ length: 4 }, () => register(platform, someone({ gymId }))));
    for (const { body } of after) expect(body.membership.status).toBe('PENDING');
    for (const { body } of await Promise.all(before))
      expect(['ACTIVE', 'PENDING']).toContain(body.membership.status);
  });

  it('needs the gym service: without it a registration at a gym is answered with 503, but an email can be verified', async () => {
    const gymId = await gymWith('VERIFIED_EMAIL');
    const body = someone({ gymId });
    await register(platform, body);
    const token = await verificationToken(platform, body.email);
    await platform.running('gym').stop();
    try {
      expect((await register(platform, someone({ gymId }))).status).toBe(503);
      expect((await verify(token)).status).toBe(204);
    } finally {
      await platform.restart('gym');
    }
    const { token: access } = await loggedIn(platform, body);
    await eventually(async () => (await me(platform, access)).body.membership.status === 'ACTIVE');
  });
});

it('the demo gyms are active, and their join policy is OPEN', async () => {
  for (const { id } of Object.values(DEMO_GYMS))
    expect((await platform.rest('gym', 'GET', `/gyms/${id}`)).body).toMatchObject({
      joinPolicy: 'OPEN',
      active: true,
    });
});
