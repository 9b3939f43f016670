import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { claimsOf } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

const me = async (token: string) => (await platform.rest('identity', 'GET', '/auth/me', { token })).status;

describe('a log-in', () => {
  it('returns an access token of 15 minutes with the claims that services read, and the user', async () => {
    const { id, email, password } = await platform.register();
    const { body } = await platform.rest('identity', 'POST', '/auth/login', {
      body: { email: email.toUpperCase(), password },
    });
    expect(body).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 900,
      user: { id, email, role: 'MEMBER', gymId: DEMO_GYMS.ironTemple.id },
    });
    const claims = claimsOf(body.token);
    expect(claims).toEqual({
      iss: 'fitness-platform',
      aud: 'fitness-platform',
      sub: id,
      role: 'MEMBER',
      gymId: DEMO_GYMS.ironTemple.id,
      sid: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: Number(claims.iat) + 900,
    });
  });

  it('works the same through the graph', async () => {
    const { id, email, password } = await platform.register();
    const operation =
      'mutation ($input: LoginInput!) { login(input: $input) { token tokenType expiresIn refreshToken user { id email } } }';
    const { data } = await platform.graph('identity', operation, { input: { email, password } });
    expect(data.login).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, user: { id, email } });
    expect(await me(data.login.token)).toBe(200);
    const next = await platform.graph(
      'identity',
      'mutation ($input: RefreshTokenInput!) { refreshToken(input: $input) { token } }',
      { input: { refreshToken: data.login.refreshToken } },
    );
    expect(await me(next.data.refreshToken.token)).toBe(200);
    const { errors } = await platform.graph('identity', operation, { input: { email, password: 'wrong' } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', http: { status: 401 } });
  });

  it('ignores an old token that a client still sends', async () => {
    const { email, password } = await platform.register();
    const { status } = await platform.rest('identity', 'POST', '/auth/login', {
      token: 'eyJhbGciOiJFUzI1NiJ9.e30.x',
      body: { email, password },
    });
    expect(status).toBe(200);
  });

  it('is refused in the same way for an unknown address and for a wrong password', async () => {
    const { email } = await platform.register();
    const answers = await Promise.all(
      [email, `nobody-${randomUUID()}@example.test`, 'no address at all'].map((address) =>
        platform.rest('identity', 'POST', '/auth/login', {
          body: { email: address, password: 'wrong-password' },
          headers: { 'x-request-id': 'same' },
        }),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED', detail: 'Email or password is wrong.' },
    });
  });
});

describe('ten failed log-ins', () => {
  const attempt = (
    email: string,
    password: string,
    headers: Record<string, string>,
    url = platform.url('identity'),
  ) =>
    fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ email, password }),
    });
  const address = () =>
    `2001:db8::${Math.floor(Math.random() * 65_535).toString(16)}:${Math.floor(Math.random() * 65_535).toString(16)}`;

  it('lock the account at every replica for 15 minutes, also for the right password, with the same answer', async () => {
    const { email, password } = await platform.register();
    const other = await platform.replica('identity');
    const wrong = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        attempt(
          index % 2 ? email : email.toUpperCase(),
          'wrong-password',
          { 'X-Forwarded-For': address() },
          index % 2 ? other.url : undefined,
        ),
      ),
    );
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401]));
    const [{ minutes }] = await platform.sql(
      'identity',
      `select ceil(max(extract(epoch from locked_until - now())) / 60)::int as minutes from login_failures`,
    );
    expect(minutes).toBe(15);
    const right = await attempt(email, password, {});
    expect(right.status).toBe(401);
    expect(((await right.json()) as { detail: string }).detail).toBe('Email or password is wrong.');
    expect((await attempt(email, password, {}, other.url)).status).toBe(401);
    await platform.sql(
      'identity',
      `update login_failures set locked_until = now() - interval '1 second' where key like 'account:%'`,
    );
    expect((await attempt(email, password, {})).status).toBe(200);
  });

  it('count only within 15 minutes, and a log-in resets the count', async () => {
    const { email, password } = await platform.register();
    const from = { 'X-Forwarded-For': address() };
    for (let time = 0; time < 9; time += 1) await attempt(email, 'wrong-password', from);
    await platform.sql(
      'identity',
      `update login_failures set failed_at = array(select at - interval '16 minutes' from unnest(failed_at) at)`,
    );
    await attempt(email, 'wrong-password', from);
    expect((await attempt(email, password, from)).status).toBe(200);
    for (let time = 0; time < 9; time += 1) await attempt(email, 'wrong-password', from);
    expect((await attempt(email, password, from)).status).toBe(200);
  });

  it('count with an Idempotency-Key, too', async () => {
    const { email, password } = await platform.register();
    for (let time = 0; time < 10; time += 1)
      await attempt(email, 'wrong-password', {
        'Idempotency-Key': randomUUID(),
        'X-Forwarded-For': address(),
      });
    expect((await attempt(email, password, {})).status).toBe(401);
  });

  it('do not lock the address of the client, whose limit is a hundred', async () => {
    const { email, password } = await platform.register();
    const from = { 'X-Forwarded-For': address() };
    const fail = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => attempt(`${randomUUID()}@x.test`, 'wrong-password', from)),
      );
    await fail(99);
    expect((await attempt(email, password, from)).status).toBe(200);
    await fail(1);
    expect((await attempt(email, password, from)).status).toBe(401);
    expect((await attempt(email, password, { 'X-Forwarded-For': address() })).status).toBe(200);
  });
});
