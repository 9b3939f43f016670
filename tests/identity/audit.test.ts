import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { register, someone } from './support.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;
const audit = async (query: string, token = staff) =>
  (await platform.rest('identity', 'GET', `/audit?${query}`, { token })).body;
const setRole = (id: string, role: string) =>
  platform.rest('identity', 'PUT', `/users/${id}/role`, { token: superAdmin, body: { role } });

describe('the audit trail of accounts', () => {
  it('shows a GYM_ADMIN what was done with the accounts of their gym, at both doors', async () => {
    const { id } = await platform.register(ironTemple.id);
    await setRole(id, 'GYM_ADMIN');
    const { id: actor } = (await platform.rest('identity', 'GET', '/users/me', { token: superAdmin })).body;
    const expected = {
      id: expect.any(String),
      at: expect.any(String),
      action: 'ROLE_CHANGED',
      actor: `user:${actor}`,
      subjectId: id,
      details: { from: 'MEMBER', to: 'GYM_ADMIN' },
    };
    expect(await audit(`userId=${id}`)).toEqual([expected]);
    expect(await audit(`userId=${id}`, await platform.demo('admin@aqua.test'))).toEqual([]);
    const { data } = await platform.graph(
      'identity',
      'query ($id: ID!) { accountAudit(userId: $id, action: "ROLE_CHANGED", from: "2020-01-01") { nodes { id at action actor subjectId details } } }',
      { id },
      { token: staff },
    );
    expect(data.accountAudit.nodes).toEqual([expected]);
  });

  it('shows log-ins to no GYM_ADMIN, and to a SUPER_ADMIN if they do not ask for one gym', async () => {
    const { id } = await platform.register(ironTemple.id);
    const actionsFor = async (token: string) =>
      ((await audit(`userId=${id}`, token)) as { action: string }[]).map(({ action }) => action);
    expect(await actionsFor(staff)).toEqual([]);
    expect(await actionsFor(superAdmin)).toContain('LOGGED_IN');
    expect(await audit('action=LOGGED_IN')).toEqual([]);
    expect(await audit(`action=LOGGED_IN&gymId=${ironTemple.id}`, superAdmin)).toEqual([]);
  });

  it('shows the change of a gym to the staff of the gym that the user left', async () => {
    const { id } = await platform.register(ironTemple.id);
    await platform.rest('identity', 'PUT', `/users/${id}/gym`, {
      token: superAdmin,
      body: { gymId: aquaClub.id },
    });
    expect(await audit(`userId=${id}`)).toMatchObject([
      { action: 'GYM_CHANGED', details: { from: ironTemple.id, to: aquaClub.id } },
    ]);
  });

  it('shows the end of an application, which has not made the user a member, to the staff of its gym', async () => {
    const { id } = (await register(platform, someone())).body;
    await platform.sql(
      'identity',
      `update user_account set membership_gym_id = $2, membership_status = 'PENDING', membership_since = now(), membership_awaits = 'APPROVAL' where id = $1`,
      [id, ironTemple.id],
    );
    await platform.rest('identity', 'PUT', `/users/${id}/gym`, { token: staff, body: { gymId: null } });
    expect(await audit(`userId=${id}`)).toMatchObject([
      { action: 'MEMBERSHIP_CHANGED', details: { gymId: ironTemple.id, from: 'PENDING', to: 'ENDED' } },
    ]);
  });

  it('refuses other gyms, members and wrong filters', async () => {
    const statusOf = async (query: string, token: string) =>
      (await platform.rest('identity', 'GET', `/audit?${query}`, { token })).status;
    expect(await statusOf(`gymId=${aquaClub.id}`, staff)).toBe(403);
    expect(await statusOf('', await platform.demo('maya@iron.test'))).toBe(403);
    expect(await statusOf('action=NOTHING', staff)).toBe(400);
    expect(await statusOf('from=2026-02-01&to=2026-01-01', staff)).toBe(400);
  });

  it('has the newest record first, and can be limited to a range of time', async () => {
    const { id } = await platform.register(ironTemple.id);
    for (const role of ['GYM_ADMIN', 'MEMBER', 'GYM_ADMIN']) await setRole(id, role);
    const [last, second, first] = (await audit(`userId=${id}`)) as { id: string; at: string }[];
    expect(await audit(`userId=${id}&from=${second?.at}`)).toMatchObject([
      { id: last?.id },
      { id: second?.id },
    ]);
    expect(await audit(`userId=${id}&to=${second?.at}`)).toMatchObject([{ id: first?.id }]);
  });
});

describe('the audit trail of invitations', () => {
  const call = (method: string, path: string, body?: object) =>
    platform.rest('identity', method, path, { token: staff, ...(body && { body }) });
  const invite = async (email: string): Promise<string> =>
    (await call('POST', '/invitations', { email, displayName: 'Invited' })).body.id;

  it('shows the staff of the gym that an invitation was withdrawn, although its account is deleted', async () => {
    const id = await invite(`invited-${randomUUID()}@example.test`);
    expect((await call('DELETE', `/invitations/${id}`)).status).toBe(204);
    expect(await audit(`userId=${id}`)).toMatchObject([
      { action: 'INVITATION_WITHDRAWN', subjectId: id },
      { action: 'USER_INVITED' },
    ]);
  });

  it('shows the staff what was done with the invitation of a user who had an account, but not whose account it is', async () => {
    const account = someone();
    await register(platform, account);
    const id = await invite(account.email);
    // Two mails of an invitation are 12 min apart.
    await platform.sql(
      'identity',
      `update gym_invitation set requested_at = now() - interval '13 minutes' where id = $1`,
      [id],
    );
    expect((await call('POST', `/invitations/${id}/resend`)).status).toBe(202);
    expect((await call('DELETE', `/invitations/${id}`)).status).toBe(204);
    const records: { action: string; subjectId: string | null; details: { invitationId?: string } }[] =
      await audit('limit=200');
    expect(records.filter(({ details }) => details.invitationId === id)).toMatchObject([
      { action: 'INVITATION_WITHDRAWN', subjectId: null, details: { gymId: ironTemple.id } },
      { action: 'INVITATION_SENT_AGAIN', subjectId: null, details: { gymId: ironTemple.id } },
      { action: 'USER_INVITED', subjectId: null },
    ]);
  });
});
