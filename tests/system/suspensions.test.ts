import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '#server/demo-ids.ts';
import { loggedIn } from '../identity/support.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

/** The platform promises the effects of a change within this time. */
const PROMISED_MILLIS = 5_000;

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

async function checkIn(userId: string) {
  const [{ qrCode }] = await platform.sql(
    'identity',
    'select qr_code as "qrCode" from user_account where id = $1',
    [userId],
  );
  return platform.rest('gym', 'POST', '/locations/check-in', {
    token: staff,
    body: { qrCode, locationId: demoId('301', 1) },
  });
}

describe('a suspended account', () => {
  const suspend = (userId: string, suspended: boolean) =>
    platform.rest('identity', 'PUT', `/users/${userId}/suspension`, {
      token: superAdmin,
      body: { suspended, ...(suspended && { reason: 'Abuse' }) },
    });

  it('is refused by identity, gym and squad within 5 s, cannot refresh, log in or check in, and can log in again once the suspension has ended', async () => {
    const member = await platform.register();
    const { token, refreshToken } = await loggedIn(platform, member);
    const answer = await suspend(member.id, true);
    expect(answer.body.suspension).toEqual({ since: expect.any(String), reason: 'Abuse' });
    const endsBy = Date.now() + PROMISED_MILLIS;
    for (const [service, path] of [
      ['identity', '/users/me'],
      ['gym', '/locations'],
      ['squad', '/online-users'],
    ] as const)
      await eventually(
        async () => (await platform.rest(service, 'GET', path, { token })).status === 401,
        endsBy - Date.now(),
      );
    expect(
      (await platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken } })).status,
    ).toBe(401);
    const { email, password } = member;
    const login = (given: string) =>
      platform.rest('identity', 'POST', '/auth/login', { body: { email, password: given } });
    expect([(await login(password)).status, (await login(password)).body.code]).toEqual([
      403,
      'ACCOUNT_SUSPENDED',
    ]);
    const unknown = await platform.rest('identity', 'POST', '/auth/login', {
      body: { email: `no-${email}`, password },
    });
    const wrong = await login('a-wrong-password');
    expect([wrong.status, wrong.body.detail]).toEqual([401, unknown.body.detail]);
    expect((await checkIn(member.id)).body.code).toBe('ACCOUNT_SUSPENDED');
    const seenBy = async (as: string) =>
      (await platform.rest('identity', 'GET', `/users/${member.id}`, { token: as })).body;
    expect((await seenBy(staff)).suspension.reason).toBe('Abuse');
    expect(await seenBy(await platform.demo('leo@iron.test'))).not.toHaveProperty('suspension');
    expect((await suspend(member.id, false)).body.suspension).toBeNull();
    expect((await login(password)).status).toBe(200);
  });

  it('is never that of the last SUPER_ADMIN who could still log in, even if two SUPER_ADMINs suspend each other at once', async () => {
    const { body: self } = await platform.rest('identity', 'GET', '/users/me', { token: superAdmin });
    expect((await suspend(self.id, true)).status).toBe(409);
    const other = await platform.register(null);
    await platform.rest('identity', 'PUT', `/users/${other.id}/role`, {
      token: superAdmin,
      body: { role: 'SUPER_ADMIN' },
    });
    const { token } = await loggedIn(platform, other);
    const suspendBy = (as: string, userId: string) =>
      platform.rest('identity', 'PUT', `/users/${userId}/suspension`, {
        token: as,
        body: { suspended: true },
      });
    const answers = await Promise.all([suspendBy(token, self.id), suspendBy(superAdmin, other.id)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await platform.sql(
      'identity',
      `select id from user_account where role = 'SUPER_ADMIN' and suspended_at is null`,
    );
    expect(left).toHaveLength(1);
    // If the demo account is the suspended one, it is admitted again.
    await platform.sql('identity', 'update user_account set suspended_at = null where id = $1', [self.id]);
    superAdmin = await platform.login('super@demo.test', 'demo-password-1');
  });
});
