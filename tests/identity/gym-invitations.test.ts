import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { loggedIn, mailsTo, register, someone, verificationToken } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
let otherStaff: string;
let gymId: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
  otherStaff = await platform.demo('admin@aqua.test');
  const { body } = await platform.rest('gym', 'POST', '/gyms', {
    token: superAdmin,
    body: { name: 'By invitation', slug: `gym-${randomUUID().slice(0, 8)}`, joinPolicy: 'INVITE' },
  });
  gymId = body.id as string;
});
afterAll(() => platform.stop());

const call = (method: string, path: string, token: string, body?: object) =>
  platform.rest('identity', method, path, { token, ...(body && { body }) });
const invite = (email: string) =>
  call('POST', '/invitations', superAdmin, { email, displayName: 'As staff write it', gymId });
const join = (token: string) => call('POST', `/gyms/${gymId}/join`, token);
const verified = async (email: string): Promise<void> => {
  const token = await verificationToken(platform, email);
  await platform.rest('identity', 'POST', '/auth/verify-email', { body: { token } });
};

async function accountWithoutGym() {
  const body = someone({ displayName: 'A private name' });
  const { id } = (await register(platform, body)).body;
  return { ...body, id: id as string, token: (await loggedIn(platform, body)).token };
}

describe('the invitation of a user who has an account without a gym', () => {
  it('is mailed, reveals nothing about the account to the staff, and is accepted if the user joins the gym', async () => {
    const account = await accountWithoutGym();
    await verified(account.email);
    expect((await join(account.token)).body.code).toBe('INVITATION_REQUIRED');
    const { status, body } = await invite(account.email);
    expect(status).toBe(201);
    expect(body).toMatchObject({ email: account.email, displayName: 'As staff write it', gymId: null });
    expect(body.id).not.toBe(account.id);
    expect(JSON.stringify(body)).not.toContain('A private name');
    await eventually(async () =>
      (await mailsTo(platform, account.email)).some((mail) => mail.includes(`Gym: ${gymId}`)),
    );
    const joined = await join(account.token);
    expect(joined.body).toMatchObject({ gymId, membership: { gymId, status: 'ACTIVE' } });
    // The invitation can be accepted only once.
    await call('PUT', `/users/${account.id}/gym`, superAdmin, { gymId: null });
    expect((await join((await loggedIn(platform, account)).token)).body.code).toBe('INVITATION_REQUIRED');
  });

  it('cannot be accepted before the email is verified: somebody else may have made the account', async () => {
    const account = await accountWithoutGym();
    await invite(account.email);
    expect((await join(account.token)).body.code).toBe('INVITATION_REQUIRED');
    await verified(account.email);
    expect((await join(account.token)).status).toBe(201);
  });

  it('is listed with other invitations, sent again and withdrawn only by the staff of its gym; a second one is refused', async () => {
    const account = await accountWithoutGym();
    const { body } = await invite(account.email);
    const listed = async (token: string): Promise<{ id: string }[]> =>
      (await call('GET', `/invitations?limit=200`, token)).body;
    const one = await eventually(async () =>
      (await listed(superAdmin)).find((each) => each.id === body.id && 'sentAt' in each && each.sentAt),
    );
    expect(one).toMatchObject({
      userId: body.id,
      email: account.email,
      displayName: 'As staff write it',
      gymId,
    });
    expect((await listed(otherStaff)).map(({ id }) => id)).not.toContain(body.id);
    expect((await invite(account.email)).status).toBe(409);
    expect((await call('POST', `/invitations/${body.id}/resend`, otherStaff)).status).toBe(404);
    const sentAgain = () =>
      platform.sql(
        'identity',
        `select 1 from audit_event where action = 'INVITATION_SENT_AGAIN' and details->>'invitationId' = $1`,
        [body.id],
      );
    // The first mail was requested a moment ago, so there is no second one.
    expect((await call('POST', `/invitations/${body.id}/resend`, superAdmin)).status).toBe(202);
    expect(await sentAgain()).toHaveLength(0);
    await platform.sql(
      'identity',
      `update gym_invitation set requested_at = now() - interval '13 minutes' where id = $1`,
      [body.id],
    );
    expect((await call('POST', `/invitations/${body.id}/resend`, superAdmin)).status).toBe(202);
    expect(await sentAgain()).toHaveLength(1);
    expect((await call('DELETE', `/invitations/${body.id}`, otherStaff)).status).toBe(404);
    expect((await call('DELETE', `/invitations/${body.id}`, superAdmin)).status).toBe(204);
    await verified(account.email);
    expect((await join(account.token)).body.code).toBe('INVITATION_REQUIRED');
    // The account itself stays.
    expect((await call('GET', '/users/me', account.token)).status).toBe(200);
  });

  it('that has expired is not accepted, and one for a user with a gym is refused', async () => {
    const account = await accountWithoutGym();
    await verified(account.email);
    const { body } = await invite(account.email);
    await eventually(
      async () =>
        (
          await platform.sql(
            'identity',
            'select 1 from gym_invitation where id = $1 and sent_at is not null',
            [body.id],
          )
        ).length > 0,
    );
    await platform.sql('identity', 'update gym_invitation set expires_at = now() where id = $1', [body.id]);
    expect((await join(account.token)).body.code).toBe('INVITATION_REQUIRED');
    const member = await platform.register();
    expect((await invite(member.email)).status).toBe(409);
  });
});
