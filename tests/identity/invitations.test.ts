import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { newClass } from '../gym/class-support.ts';
import { holdingAccount, mailedToken } from './support.ts';

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

const call = (method: string, path: string, token: string, body?: object) =>
  platform.rest('identity', method, path, { token, ...(body && { body }) });
const invited = async (token = staff, more: object = {}) => {
  const email = `invited-${randomUUID()}@example.test`;
  const { status, body } = await call('POST', '/invitations', token, {
    email,
    displayName: 'Invited',
    ...more,
  });
  expect(status).toBe(201);
  return { id: body.id as string, email };
};
const accept = async (email: string, count = 1) =>
  platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
    body: { token: await mailedToken(platform, email, count), password: `pass-${randomUUID()}` },
  });

describe('an invitation', () => {
  it('is listed for the admins of its gym until it is accepted, through both doors', async () => {
    const { id, email } = await invited();
    const listed = async (token: string, query = ''): Promise<{ id: string }[]> =>
      (await call('GET', `/invitations?limit=200${query}`, token)).body;
    const one = await eventually(async () =>
      (await listed(staff)).find((each) => each.id === id && 'sentAt' in each && each.sentAt !== null),
    );
    expect(one).toEqual({
      id,
      userId: id,
      email,
      displayName: 'Invited',
      role: 'MEMBER',
      gymId: DEMO_GYMS.ironTemple.id,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    const query =
      'query ($gymId: ID) { invitations(gymId: $gymId, first: 200) { nodes { id userId email displayName role gymId createdAt sentAt expiresAt } } }';
    const { data } = await platform.graph('identity', query, {}, { token: staff });
    expect(data.invitations.nodes).toContainEqual(one);
    expect(await listed(superAdmin)).toContainEqual(one);
    expect(await listed(superAdmin, `&gymId=${DEMO_GYMS.aquaClub.id}`)).not.toContainEqual(one);
    expect(await listed(otherStaff)).not.toContainEqual(one);
    expect((await call('GET', '/invitations', await platform.demo('maya@iron.test'))).status).toBe(403);
    expect((await call('GET', `/invitations?gymId=${DEMO_GYMS.aquaClub.id}`, staff)).status).toBe(403);
    expect((await accept(email)).status).toBe(204);
    expect((await listed(staff)).map((each) => each.id)).not.toContain(id);
  });

  it('is listed page by page', async () => {
    const ids = [await invited(otherStaff), await invited(otherStaff), await invited(otherStaff)].map(
      ({ id }) => id,
    );
    const seen: string[] = [];
    for (let path: string | undefined = '/invitations?limit=2'; path;) {
      const { headers, body } = await call('GET', path, otherStaff);
      seen.push(...body.map(({ id }: { id: string }) => id));
      path = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
  });

  it('is sent again with a new token; the previous one still works', async () => {
    const { id, email } = await invited();
    await mailedToken(platform, email);
    const again = await call('POST', `/invitations/${id}/resend`, staff);
    expect(again).toMatchObject({ status: 202, body: { id, email } });
    expect(await mailedToken(platform, email, 2)).not.toBe(await mailedToken(platform, email, 1));
    const { data, errors } = await platform.graph(
      'identity',
      'mutation ($input: ResendInvitationInput!) { resendInvitation(input: $input) { id } }',
      { input: { userId: id } },
      { token: superAdmin },
    );
    expect([data, errors]).toEqual([{ resendInvitation: { id } }, undefined]);
    await mailedToken(platform, email, 3);
    expect((await call('POST', `/invitations/${id}/resend`, otherStaff)).status).toBe(404);
    expect(
      (await call('POST', `/invitations/${id}/resend`, await platform.demo('leo@iron.test'))).status,
    ).toBe(403);
    expect((await accept(email, 1)).status).toBe(204);
    expect((await call('POST', `/invitations/${id}/resend`, staff)).status).toBe(409);
    expect((await call('POST', `/invitations/${randomUUID()}/resend`, staff)).status).toBe(404);
  });

  it('is withdrawn with the tokens of its mails by the admins of its gym, until it is accepted', async () => {
    const { id, email } = await invited();
    const token = await mailedToken(platform, email);
    expect((await call('DELETE', `/invitations/${id}`, otherStaff)).status).toBe(404);
    expect((await call('DELETE', `/invitations/${id}`, await platform.demo('leo@iron.test'))).status).toBe(
      403,
    );
    expect((await call('DELETE', `/invitations/${id}`, staff)).status).toBe(204);
    expect((await call('DELETE', `/invitations/${id}`, staff)).status).toBe(404);
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
          body: { token, password: `pass-${randomUUID()}` },
        })
      ).status,
    ).toBe(400);
    expect(await platform.sql('identity', 'select 1 from password_reset where user_id = $1', [id])).toEqual(
      [],
    );

    const accepted = await invited();
    await accept(accepted.email);
    expect((await call('DELETE', `/invitations/${accepted.id}`, staff)).status).toBe(409);
  });

  it('that is withdrawn is erased in the other services: a place that staff have booked for the person becomes free', async () => {
    const { id, email } = await invited();
    const { session } = await newClass(platform, staff, { capacity: 1 });
    const book = (userId: string) =>
      platform.rest('gym', 'POST', `/class-sessions/${session.id}/bookings`, {
        token: staff,
        body: { userId },
      });
    expect((await book(id)).body.status).toBe('BOOKED');
    const waiting = await book(demoPerson('leo@iron.test').id);
    expect(waiting.body.status).toBe('WAITING');
    expect((await call('DELETE', `/invitations/${id}`, staff)).status).toBe(204);
    await eventually(async () => {
      const { body } = await platform.rest('gym', 'GET', `/bookings/${waiting.body.id}`, { token: staff });
      return body.status === 'BOOKED';
    });
    for (const service of ['identity', 'gym'] as const)
      await eventually(async () => {
        const stored = await platform.sql(service, 'select 1 from event where data::text like $1', [
          `%${email}%`,
        ]);
        return stored.length === 0;
      });
  });

  it.each(['accepted', 'withdrawn'])(
    'is %s if it is accepted and withdrawn at once, and this happens first',
    async (first) => {
      const { id, email } = await invited();
      const token = await mailedToken(platform, email);
      const password = `pass-${randomUUID()}`;
      const confirm = () =>
        platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: { token, password } });
      const withdraw = () => call('DELETE', `/invitations/${id}`, staff);
      const answers = await holdingAccount(platform, id, async (waiting) => {
        const [earlier, later] = first === 'accepted' ? [confirm, withdraw] : [withdraw, confirm];
        const begun = [earlier()];
        await waiting(1);
        begun.push(later());
        await waiting(2);
        return begun;
      });
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses).toEqual(first === 'accepted' ? [204, 409] : [204, 400]);
      const login = await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } });
      expect(login.status).toBe(first === 'accepted' ? 200 : 401);
    },
  );
});

it('the deletion of an account is refused if the password is changed while the deletion waits', async () => {
  const { email, password, token } = await platform.register();
  const changed = `new-${randomUUID()}`;
  // A deletion locks the SUPER_ADMINs first.
  const { deletion, change } = await holdingAccount(
    platform,
    demoPerson('super@demo.test').id,
    async (waiting) => {
      const begun = call('DELETE', '/users/me', token, { password });
      await waiting(1);
      const answer = await call('POST', '/auth/password', token, { current: password, password: changed });
      return { deletion: begun, change: answer };
    },
  );
  expect([change.status, (await deletion).status]).toEqual([204, 403]);
  const login = await platform.rest('identity', 'POST', '/auth/login', {
    body: { email, password: changed },
  });
  expect(login.status).toBe(200);
});
