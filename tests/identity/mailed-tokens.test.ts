import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { loggedIn, mailedToken, mailsTo, me } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

describe('a password reset', () => {
  const request = (email: string) =>
    platform.rest('identity', 'POST', '/auth/password-reset', { body: { email } });
  const confirm = (token: string, password = 'a-brand-new-password') =>
    platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: { token, password } });

  it('has the same answer for every address, and is mailed only to addresses with an account', async () => {
    const { email } = await platform.register();
    const nobody = `nobody-${randomUUID()}@example.test`;
    const answers = [await request(nobody), await request(email.toUpperCase())];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: undefined },
      { status: 202, body: undefined },
    ]);
    await mailedToken(platform, email);
    // The jobs of the two requests run at the same time, so the job for `nobody` may end after the other mail was sent.
    await eventually(
      async () =>
        (await platform.sql('identity', 'select 1 from password_reset where email = $1', [nobody])).length ===
        0,
    );
    expect(await mailsTo(platform, nobody)).toEqual([]);
  });

  it('sets the password once, ends every session everywhere, and unlocks the account', async () => {
    const user = await platform.register();
    const { refreshToken } = await loggedIn(platform, user);
    for (let time = 0; time < 10; time += 1)
      await platform.rest('identity', 'POST', '/auth/login', { body: { ...user, password: 'wrong' } });
    expect((await platform.rest('identity', 'POST', '/auth/login', { body: user })).status).toBe(401);
    const gym = async () => (await platform.rest('gym', 'GET', '/locations', user)).status;
    expect(await gym()).toBe(200);

    await request(user.email);
    const token = await mailedToken(platform, user.email);
    const answers = await Promise.all([confirm(token), confirm(token), confirm(token)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204, 400, 400,
    ]);
    expect((await me(platform, user.token)).status).toBe(401);
    expect(
      (await platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken } })).status,
    ).toBe(401);
    expect((await platform.rest('identity', 'POST', '/auth/login', { body: user })).status).toBe(401);
    await loggedIn(platform, { email: user.email, password: 'a-brand-new-password' });
    await eventually(async () => (await gym()) === 401);
    expect((await confirm(token)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'token' }],
    });
    const [{ action, actor, details }] = await platform.sql(
      'identity',
      "select * from audit_event where subject_id = $1 and action = 'PASSWORD_RESET'",
      [user.id],
    );
    expect({ action, actor, details }).toEqual({
      action: 'PASSWORD_RESET',
      actor: 'anonymous',
      details: { by: 'RESET' },
    });
  });

  it('is valid for one hour, and its use invalidates the other tokens', async () => {
    const { email, id } = await platform.register();
    await request(email);
    const old = await mailedToken(platform, email, 1);
    await platform.sql(
      'identity',
      `update password_reset set expires_at = now() - interval '1 second' where user_id = $1`,
      [id],
    );
    expect((await confirm(old)).status).toBe(400);
    await request(email);
    const second = await mailedToken(platform, email, 2);
    await request(email);
    const third = await mailedToken(platform, email, 3);
    const [{ seconds }] = await platform.sql(
      'identity',
      `select extract(epoch from max(expires_at) - now())::int as seconds from password_reset where user_id = $1`,
      [id],
    );
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect((await confirm(third)).status).toBe(204);
    expect((await confirm(second)).status).toBe(400);
  });

  it('keeps the token valid if the password is not accepted', async () => {
    const { email } = await platform.register();
    const operation = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }';
    expect(
      (await platform.graph('identity', operation, { input: { email } })).data.requestPasswordReset,
    ).toBe(true);
    const token = await mailedToken(platform, email);
    expect((await confirm(token, 'short')).status).toBe(400);
    expect((await confirm(token, email)).body).toMatchObject({ errors: [{ path: 'password' }] });
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }',
      { input: { token, password: 'a-better-password' } },
    );
    expect(data.resetPassword).toBe(true);
  });

  it('sends a user at most five mails an hour', async () => {
    const { email, id } = await platform.register();
    for (let time = 0; time < 7; time += 1) await request(email);
    await eventually(
      async () =>
        (
          await platform.sql(
            'identity',
            'select 1 from password_reset where lower(email) = lower($1) and sent_at is null',
            [email],
          )
        ).length === 0,
    );
    expect(
      await platform.sql('identity', 'select count(*)::int as mails from password_reset where user_id = $1', [
        id,
      ]),
    ).toEqual([{ mails: 5 }]);
  });
});

describe('a reset token', () => {
  const request = (email: string) =>
    platform.rest('identity', 'POST', '/auth/password-reset', { body: { email } });

  it('is not valid any more after the user has changed their password', async () => {
    const user = await platform.register();
    await request(user.email);
    const token = await mailedToken(platform, user.email);
    const password = 'a-brand-new-password';
    expect(
      await platform.rest('identity', 'POST', '/auth/password', {
        token: user.token,
        body: { current: user.password, password },
      }),
    ).toMatchObject({ status: 204 });
    expect(
      await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
        body: { token, password: 'a-password-of-a-thief' },
      }),
    ).toMatchObject({ status: 400, body: { errors: [{ path: 'token' }] } });
    await loggedIn(platform, { email: user.email, password });
  });

  it('is mailed although the mails that were requested earlier could not be sent', async () => {
    const { email, id } = await platform.register();
    await platform.sql(
      'identity',
      `insert into password_reset (id, purpose, email, requested_at, user_id)
       select gen_random_uuid(), 'RESET', $1, now() - interval '23 hours', $2 from generate_series(1, 5)`,
      [email, id],
    );
    await request(email);
    expect(await mailedToken(platform, email)).toMatch(/^[\w-]{43}$/);
  });
});

describe('an invitation', () => {
  it('is accepted with the token of its mail, and can be withdrawn until then', async () => {
    const service = await platform.serviceToken('wizard');
    const invite = async () => {
      const email = `invited-${randomUUID()}@example.test`;
      const { body } = await platform.rest('identity', 'POST', '/invitations', {
        token: service,
        body: { email, displayName: 'Ina', role: 'GYM_ADMIN', gymId: DEMO_GYMS.ironTemple.id },
      });
      return { id: body.id as string, email };
    };
    const accepted = await invite();
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/login', {
          body: { email: accepted.email, password: '' },
        })
      ).status,
    ).toBe(401);
    const token = await mailedToken(platform, accepted.email);
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
          body: { token, password: 'my-own-password' },
        })
      ).status,
    ).toBe(204);
    await loggedIn(platform, { email: accepted.email, password: 'my-own-password' });
    expect(
      (await platform.rest('identity', 'DELETE', `/invitations/${accepted.id}`, { token: service })).status,
    ).toBe(409);

    const withdrawn = await invite();
    const late = await mailedToken(platform, withdrawn.email);
    expect(
      (await platform.rest('identity', 'DELETE', `/invitations/${withdrawn.id}`, { token: service })).status,
    ).toBe(204);
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
          body: { token: late, password: 'my-own-password' },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await platform.rest('identity', 'POST', '/invitations', {
          token: service,
          body: { email: accepted.email.toUpperCase(), displayName: 'Ina' },
        })
      ).status,
    ).toBe(409);
  });
});
