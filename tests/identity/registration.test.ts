import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { me, register, someone } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    env: { BOOTSTRAP_ADMIN_EMAIL: 'First@Admin.test', BOOTSTRAP_ADMIN_PASSWORD: 'bootstrap-password' },
  });
});
afterAll(() => platform.stop());

describe('a registration', () => {
  it('creates a MEMBER of the chosen gym, through both doors', async () => {
    const { status, body } = await register(
      platform,
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

  it('that is sent three times at once, with one email in different spellings, succeeds once and is 409 twice', async () => {
    for (let time = 0; time < 5; time += 1) {
      const email = `Twin-${randomUUID()}@Example.test`;
      const answers = await Promise.all(
        [email.toLowerCase(), email.toUpperCase(), email].map((writing) =>
          register(platform, someone({ email: writing })),
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

  it('never lets the caller choose a role or other protected fields', async () => {
    const id = randomUUID();
    const { status, body } = await register(
      platform,
      someone({ role: 'SUPER_ADMIN', id, qrCode: 'FIT-mine', avatar: '/etc/passwd' }),
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ role: 'MEMBER', avatar: null });
    expect(body.id).not.toBe(id);
    expect(body.qrCode).not.toBe('FIT-mine');
    expect(await register(platform, someone({ isAdmin: true }))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'isAdmin' }] },
    });
    const { errors } = await platform.graph(
      'identity',
      'mutation ($input: RegisterInput!) { register(input: $input) { id } }',
      { input: someone({ role: 'SUPER_ADMIN' }) },
    );
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });

  it('creates one account for three requests with one Idempotency-Key', async () => {
    const body = someone();
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all([
      register(platform, body, key),
      register(platform, body, key),
      register(platform, body, key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect((await register(platform, { ...body, displayName: 'Other' }, key)).status).toBe(409);
  });

  it.each([
    ['a text that is no address', { email: 'nobody' }, 'email'],
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
      'a password that is the name in the address with a few digits',
      { email: 'longname@example.test', password: 'longname123' },
      'password',
    ],
    ['no name', { displayName: '' }, 'displayName'],
    ['a name of spaces', { displayName: '   ' }, 'displayName'],
    ['a name with a NUL', { displayName: 'a\0b' }, 'displayName'],
    ['a name of 81 letters', { displayName: 'x'.repeat(81) }, 'displayName'],
    ['a gym id that is no UUID', { gymId: 'iron-temple' }, 'gymId'],
  ])('with %s is refused with the name of the field', async (_what, fields, path) => {
    const { status, body } = await register(platform, someone(fields));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path }] });
    expect(JSON.stringify(body)).not.toContain('xxxxxxxx');
  });
});

describe('the first SUPER_ADMIN', () => {
  it('is created from the settings once, and keeps later changes', async () => {
    const { body } = await platform.rest('identity', 'POST', '/auth/login', {
      body: { email: 'first@admin.test', password: 'bootstrap-password' },
    });
    expect(body.user).toMatchObject({ role: 'SUPER_ADMIN', email: 'First@Admin.test' });
    await platform.rest('identity', 'PUT', '/profile', {
      token: body.token,
      body: { displayName: 'The First' },
    });
    await platform.restart('identity');
    expect((await me(platform, body.token)).body.displayName).toBe('The First');
  });
});
