import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually, loggedIn, mailedToken } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    env: { BOOTSTRAP_ADMIN_EMAIL: 'First@Admin.test', BOOTSTRAP_ADMIN_PASSWORD: 'bootstrap-password' },
  });
});
afterAll(() => platform.stop());

const register = (body: object, headers = {}) =>
  platform.rest('identity', 'POST', '/auth/register', { body, headers });
const someone = (fields: object = {}) => ({
  email: `user-${randomUUID()}@example.test`,
  password: 'a-good-password',
  displayName: 'Somebody',
  ...fields,
});
const me = (token: string) => platform.rest('identity', 'GET', '/auth/me', { token });

describe('a registration', () => {
  it('makes a MEMBER of the gym that she chose, through both doors', async () => {
    const { status, body } = await register(
      someone({ gymId: DEMO_GYMS.aquaClub.id, displayName: '  Zoë 张  ' }),
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({
      displayName: 'Zoë 张',
      role: 'MEMBER',
      gymId: DEMO_GYMS.aquaClub.id,
      avatar: null,
      bio: null,
    });
    expect(body.qrCode).toMatch(/^FIT-[\w-]{20,}$/);
    const input = someone();
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: RegisterInput!) { register(input: $input) { email role gymId } }',
      { input },
    );
    expect(data.register).toEqual({ email: input.email, role: 'MEMBER', gymId: null });
  });

  it('of one address in two writings at once is one 201 and one 409', async () => {
    for (let time = 0; time < 5; time += 1) {
      const email = `Twin-${randomUUID()}@Example.test`;
      const answers = await Promise.all(
        [email.toLowerCase(), email.toUpperCase(), email].map((writing) =>
          register(someone({ email: writing })),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        201, 409, 409,
      ]);
      expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
        code: 'CONFLICT',
        errors: [{ path: 'email' }],
      });
    }
  });

  it('never lets the caller choose a role, or anything else that is not hers to choose', async () => {
    const id = randomUUID();
    const { status, body } = await register(
      someone({ role: 'SUPER_ADMIN', id, qrCode: 'FIT-mine', isAdmin: true, avatar: '/etc/passwd' }),
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ role: 'MEMBER', avatar: null });
    expect(body.id).not.toBe(id);
    expect(body.qrCode).not.toBe('FIT-mine');
    const { errors } = await platform.graph(
      'identity',
      'mutation ($input: RegisterInput!) { register(input: $input) { id } }',
      { input: someone({ role: 'SUPER_ADMIN' }) },
    );
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });

  it('with the same Idempotency-Key makes one account', async () => {
    const body = someone();
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all([register(body, key), register(body, key), register(body, key)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect((await register({ ...body, displayName: 'Other' }, key)).status).toBe(409);
  });

  it.each([
    ['an address that is none', { email: 'nobody' }, 'email'],
    ['an address with a NUL', { email: 'a\0b@example.test' }, 'email'],
    ['an address that is too long', { email: `${'a'.repeat(250)}@example.test` }, 'email'],
    ['a short password', { password: '1234567' }, 'password'],
    ['a password of a megabyte', { password: 'x'.repeat(900_000) }, 'password'],
    ['no password', { password: undefined }, 'password'],
    ['a password that is no text', { password: { length: 20 } }, 'password'],
    [
      'a password that is the address',
      { email: 'long.name@example.test', password: 'Long.Name@example.test' },
      'password',
    ],
    [
      'a password that is the name in the address',
      { email: 'longname@example.test', password: 'LongName' },
      'password',
    ],
    [
      'a password that is little more than it',
      { email: 'longname@example.test', password: 'longname123' },
      'password',
    ],
    ['no name', { displayName: '' }, 'displayName'],
    ['a name of spaces', { displayName: '   ' }, 'displayName'],
    ['a name with a NUL', { displayName: 'a\0b' }, 'displayName'],
    ['a name of 81 letters', { displayName: 'x'.repeat(81) }, 'displayName'],
    ['a gym that is no id', { gymId: 'iron-temple' }, 'gymId'],
  ])('with %s is refused by the name of the field', async (_what, fields, path) => {
    const { status, body } = await register(someone(fields));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path }] });
    expect(JSON.stringify(body)).not.toContain('xxxxxxxx');
  });
});

describe('the first SUPER_ADMIN', () => {
  it('comes from the settings once, and keeps what she changes afterwards', async () => {
    const { body } = await platform.rest('identity', 'POST', '/auth/login', {
      body: { email: 'first@admin.test', password: 'bootstrap-password' },
    });
    expect(body.user).toMatchObject({ role: 'SUPER_ADMIN', email: 'First@Admin.test' });
    await platform.rest('identity', 'PUT', '/profile', {
      token: body.token,
      body: { displayName: 'The First' },
    });
    await platform.restart('identity');
    expect((await me(body.token)).body.displayName).toBe('The First');
  });
});

describe('a profile', () => {
  it('is changed in part, through both doors; what is absent stays', async () => {
    const { token } = await platform.register();
    const put = (body: object) => platform.rest('identity', 'PUT', '/profile', { token, body });
    expect((await put({ bio: 'I lift.\nA lot. 🏋', units: 'IMPERIAL' })).body).toMatchObject({
      bio: 'I lift.\nA lot. 🏋',
      units: 'IMPERIAL',
      timezone: 'UTC',
    });
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { bio locale timezone units } }',
      { input: { locale: 'de-AT', timezone: 'Europe/Vienna' } },
      { token },
    );
    expect(data.updateProfile).toEqual({
      bio: 'I lift.\nA lot. 🏋',
      locale: 'de-AT',
      timezone: 'Europe/Vienna',
      units: 'IMPERIAL',
    });
    expect((await put({ bio: '' })).body.bio).toBeNull();
    expect((await put({})).status).toBe(200);
  });

  it.each([
    [{ role: 'SUPER_ADMIN', gymId: DEMO_GYMS.aquaClub.id, email: 'other@x.test', qrCode: 'FIT-x' }, 200],
    [{ timezone: 'Mars/Base' }, 400],
    [{ timezone: '+01:00' }, 400],
    [{ locale: 'not a locale' }, 400],
    [{ units: 'STONES' }, 400],
    [{ bio: 'x'.repeat(2_001) }, 400],
    [{ bio: 'a\0b' }, 400],
    [{ displayName: 'a\nb' }, 400],
    [[], 400],
    ['text', 415],
  ])('given %j answers %s, and changes nothing that is not hers to change', async (body, status) => {
    const { token, email } = await platform.register();
    expect((await platform.rest('identity', 'PUT', '/profile', { token, body })).status).toBe(status);
    expect((await me(token)).body).toMatchObject({ email, role: 'MEMBER', gymId: DEMO_GYMS.ironTemple.id });
  });
});

describe('a QR code', () => {
  it('is unique, known to services, a picture, and worthless once rotated', async () => {
    const { id, token } = await platform.register();
    const before = (await me(token)).body.qrCode;
    const whose = async (code: string) =>
      platform.rest('identity', 'GET', `/users/by-qr-code/${code}`, {
        token: await platform.serviceToken('gym'),
      });
    expect((await whose(before)).body).toMatchObject({ id, gymId: DEMO_GYMS.ironTemple.id });
    const { body } = await platform.rest('identity', 'POST', '/auth/qr/rotate', { token });
    expect(body.qrCode).not.toBe(before);
    expect((await whose(before)).status).toBe(404);
    expect((await whose(body.qrCode)).body.id).toBe(id);
    const staff = await platform.demo('admin@iron.test');
    const { data } = await platform.graph(
      'identity',
      'query ($code: String!) { userByQrCode(qrCode: $code) { id } }',
      { code: body.qrCode },
      { token: staff },
    );
    expect(data.userByQrCode.id).toBe(id);

    const svg = await platform.rest('identity', 'GET', '/users/me/qr.svg', { token });
    expect(svg.headers.get('content-type')).toContain('image/svg+xml');
    expect(svg.body).toMatch(/^<svg /);
    const png = await platform.rest('identity', 'GET', '/users/me/qr.png', { token });
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(png.headers.get('cache-control')).toContain('no-store');
    expect(png.body.subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('a password reset', () => {
  const request = (email: string) =>
    platform.rest('identity', 'POST', '/auth/password-reset', { body: { email } });
  const confirm = (token: string, password = 'a-brand-new-password') =>
    platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: { token, password } });

  it('answers alike for any address, and mails only who has one', async () => {
    const { email } = await platform.register();
    const nobody = `nobody-${randomUUID()}@example.test`;
    const answers = [await request(nobody), await request(email.toUpperCase())];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: undefined },
      { status: 202, body: undefined },
    ]);
    await mailedToken(platform, email);
    expect(await platform.sql('identity', 'select 1 from password_reset where email = $1', [nobody])).toEqual(
      [],
    );
  });

  it('sets the password once, ends every session everywhere, and frees a locked account', async () => {
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
    expect((await me(user.token)).status).toBe(401);
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
      'select * from audit_event where subject_id = $1',
      [user.id],
    );
    expect({ action, actor, details }).toEqual({
      action: 'PASSWORD_RESET',
      actor: 'anonymous',
      details: { by: 'RESET' },
    });
  });

  it('holds for one hour, and a used one takes the other tokens with it', async () => {
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

  it('keeps the token for a better try where the password is not accepted', async () => {
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

  it('mails one person five times an hour at most', async () => {
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

describe('an invitation', () => {
  it('is accepted by the token of its mail, and can be withdrawn until then', async () => {
    const service = await platform.serviceToken('wizard');
    const invite = async () => {
      const email = `invited-${randomUUID()}@example.test`;
      const { body } = await platform.rest('identity', 'POST', '/invitations', {
        token: service,
        body: { email, displayName: 'Ina', role: 'GYM_ADMIN', gymId: DEMO_GYMS.ironTemple.id },
      });
      return { id: body.id as string, email };
    };
    const kept = await invite();
    expect(
      (await platform.rest('identity', 'POST', '/auth/login', { body: { email: kept.email, password: '' } }))
        .status,
    ).toBe(401);
    const token = await mailedToken(platform, kept.email);
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
          body: { token, password: 'my-own-password' },
        })
      ).status,
    ).toBe(204);
    await loggedIn(platform, { email: kept.email, password: 'my-own-password' });
    expect(
      (await platform.rest('identity', 'DELETE', `/invitations/${kept.id}`, { token: service })).status,
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
          body: { email: kept.email.toUpperCase(), displayName: 'Ina' },
        })
      ).status,
    ).toBe(409);
  });
});

describe('roles', () => {
  it('always leave one SUPER_ADMIN, also when two demote each other at once', async () => {
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
    // Whoever of the two is left: the tests below know the first one.
    await platform.sql(
      'identity',
      `update user_account set role = case when id = $1 then 'SUPER_ADMIN' else 'MEMBER' end where id in ($1, $2)`,
      [supers[0].id, second.id],
    );
  });

  it('are audited, and the audit can be neither changed nor removed', async () => {
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

describe('the deletion of an account', () => {
  it('takes the right password, ends everything at once, and leaves a receipt', async () => {
    const user = await platform.register();
    const remove = (password: string) =>
      platform.rest('identity', 'DELETE', '/users/me', { token: user.token, body: { password } });
    expect((await remove('wrong')).status).toBe(403);
    const { status, headers } = await remove(user.password);
    expect(status).toBe(204);
    expect((await me(user.token)).status).toBe(401);
    expect((await platform.rest('identity', 'POST', '/auth/login', { body: user })).status).toBe(401);
    const receipt = await platform.rest('identity', 'GET', headers.get('location') ?? '');
    expect(receipt.body.parts[0]).toEqual({
      service: 'identity',
      outcome: 'DELETED',
      reason: expect.any(String),
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
    expect((await register(someone({ email: user.email }))).status).toBe(201);
  });

  it('is the same through the graph, and never that of the last SUPER_ADMIN', async () => {
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
      'DELETED',
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

  it('counts wrong passwords like failed log-ins', async () => {
    const user = await platform.register();
    const remove = (password: string) =>
      platform.rest('identity', 'DELETE', '/users/me', { token: user.token, body: { password } });
    for (let time = 0; time < 10; time += 1) await remove('wrong');
    expect((await remove(user.password)).status).toBe(403);
  });
});
