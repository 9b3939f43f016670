import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

describe('roles', () => {
  it('cannot be changed so that no SUPER_ADMIN is left, not even if two demote each other at once', async () => {
    const supers = await platform.sql(
      'identity',
      `select id from user_account where role = 'SUPER_ADMIN' order by id`,
    );
    const token = await platform.demo('super@demo.test');
    for (const { id } of supers.slice(1))
      await platform.rest('identity', 'PUT', `/users/${id}/role`, { token, body: { role: 'MEMBER' } });
    const second = await platform.register();
    expect(
      (
        await platform.rest('identity', 'PUT', `/users/${second.id}/role`, {
          token,
          body: { role: 'SUPER_ADMIN' },
        })
      ).status,
    ).toBe(200);
    const secondToken = await platform.login(second.email, second.password);
    const demote = (id: string, by: string) =>
      platform.rest('identity', 'PUT', `/users/${id}/role`, { token: by, body: { role: 'MEMBER' } });
    const answers = await Promise.all([demote(second.id, token), demote(supers[0].id, secondToken)]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(
      await platform.sql(
        'identity',
        `select count(*)::int as left from user_account where role = 'SUPER_ADMIN'`,
      ),
    ).toEqual([{ left: 1 }]);
    // Either of the two may have stayed SUPER_ADMIN; the next test needs the first one.
    await platform.sql(
      'identity',
      `update user_account set role = case when id = $1 then 'SUPER_ADMIN' else 'MEMBER' end where id in ($1, $2)`,
      [supers[0].id, second.id],
    );
  });

  it('cannot be changed so that the only other SUPER_ADMIN is one who has not accepted their invitation', async () => {
    // A new token: the previous test has changed the role of this user.
    const token = await platform.login('super@demo.test', DEMO_PASSWORD);
    const call = (method: string, path: string, body?: object) =>
      platform.rest('identity', method, path, { token, ...(body && { body }) });
    const { id } = (await call('GET', '/users/me')).body;
    const others = await platform.sql(
      'identity',
      `select id from user_account where role = 'SUPER_ADMIN' and id <> $1`,
      [id],
    );
    for (const other of others) await call('PUT', `/users/${other.id}/role`, { role: 'MEMBER' });
    const invited = await call('POST', '/invitations', {
      email: `invited-${id}@example.test`,
      displayName: 'Invited',
      role: 'SUPER_ADMIN',
    });
    expect(invited).toMatchObject({ status: 201, body: { role: 'SUPER_ADMIN' } });
    expect((await call('PUT', `/users/${id}/role`, { role: 'MEMBER' })).status).toBe(409);
    expect((await call('PUT', `/users/${id}/suspension`, { suspended: true })).status).toBe(409);
    expect((await call('DELETE', '/users/me', { password: DEMO_PASSWORD })).status).toBe(409);
    // The invited one may lose the role.
    expect((await call('PUT', `/users/${invited.body.id}/role`, { role: 'MEMBER' })).status).toBe(200);
  });

  it('are audited, and the audit trail can be neither changed nor removed', async () => {
    const admin = await platform.login('super@demo.test', DEMO_PASSWORD);
    const { id } = await platform.register();
    await platform.rest('identity', 'PUT', `/users/${id}/role`, {
      token: admin,
      body: { role: 'GYM_ADMIN' },
    });
    await platform.graph(
      'identity',
      `mutation { setGym(input: { userId: "${id}", gymId: null }) { id } }`,
      {},
      { token: admin },
    );
    const { body } = await platform.rest('identity', 'GET', `/audit-events?userId=${id}`, { token: admin });
    expect(body).toMatchObject([
      { action: 'GYM_CHANGED', details: { from: DEMO_GYMS.ironTemple.id, to: null } },
      {
        action: 'ROLE_CHANGED',
        subjectId: id,
        actor: expect.stringMatching(/^user:/),
        details: { from: 'MEMBER', to: 'GYM_ADMIN' },
      },
      { action: 'LOGGED_IN' },
    ]);
    const { data } = await platform.graph(
      'identity',
      `{ auditEvents(userId: "${id}", first: 1) { nodes { action details } pageInfo { hasNextPage } } }`,
      {},
      { token: admin },
    );
    expect(data.auditEvents).toMatchObject({
      nodes: [{ action: 'GYM_CHANGED' }],
      pageInfo: { hasNextPage: true },
    });
    for (const statement of [
      'update audit_event set actor = $1',
      'delete from audit_event where actor <> $1',
    ])
      await expect(platform.sql('identity', statement, ['nobody'])).rejects.toThrow('append-only');
    await expect(platform.sql('identity', 'truncate audit_event')).rejects.toThrow('append-only');
  });
});
