import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { me, register, someone } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

describe('the deletion of an account', () => {
  it('requires the password, ends the session at once, leaves a receipt, and the email is free again', async () => {
    const user = await platform.register();
    const remove = (password: string) =>
      platform.rest('identity', 'DELETE', '/users/me', { token: user.token, body: { password } });
    expect((await remove('wrong')).status).toBe(403);
    const { status, headers } = await remove(user.password);
    expect(status).toBe(204);
    expect((await me(platform, user.token)).status).toBe(401);
    expect((await platform.rest('identity', 'POST', '/auth/login', { body: user })).status).toBe(401);
    const receipt = await platform.rest('identity', 'GET', headers.get('location') ?? '');
    expect(receipt.body.parts[0]).toEqual({
      service: 'identity',
      outcome: 'RETAINED',
      reason: expect.stringContaining('audit trail keeps the id of the account'),
    });
    expect(JSON.stringify(receipt.body)).not.toContain(user.id);
    for (const table of [
      'user_account',
      'login_session',
      'refresh_token',
      'password_reset',
      'account_deletion',
      'audit_event',
      'idempotency_record',
    ])
      expect(JSON.stringify(await platform.sql('identity', `select * from ${table}`))).not.toContain(
        user.email,
      );
    expect((await register(platform, someone({ email: user.email }))).status).toBe(201);
  });

  it('works the same through the graph, and is refused for the last SUPER_ADMIN', async () => {
    const user = await platform.register();
    const operation =
      'mutation ($input: DeleteMyAccountInput!) { deleteMyAccount(input: $input) { id finishedAt parts { service outcome reason } } }';
    const { data } = await platform.graph(
      'identity',
      operation,
      { input: { password: user.password } },
      user,
    );
    expect(data.deleteMyAccount).toMatchObject({ finishedAt: null });
    expect(data.deleteMyAccount.parts.map((part: { outcome: string }) => part.outcome)).toEqual([
      'RETAINED',
      ...Array.from({ length: 5 }, () => 'PENDING'),
    ]);
    const again = await platform.graph(
      'identity',
      'query ($id: ID!) { accountDeletion(id: $id) { id finishedAt parts { service outcome reason } } }',
      { id: data.deleteMyAccount.id },
    );
    expect(again.data.accountDeletion).toMatchObject({ id: data.deleteMyAccount.id });
    const last = await platform.login('super@demo.test', DEMO_PASSWORD);
    expect(
      (
        await platform.rest('identity', 'DELETE', '/users/me', {
          token: last,
          body: { password: DEMO_PASSWORD },
        })
      ).status,
    ).toBe(409);
  });

  it('counts wrong passwords as failed log-ins', async () => {
    const user = await platform.register();
    const remove = (password: string) =>
      platform.rest('identity', 'DELETE', '/users/me', { token: user.token, body: { password } });
    for (let time = 0; time < 10; time += 1) await remove('wrong');
    expect((await remove(user.password)).status).toBe(403);
  });
});
