import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'], env: { RATE_LIMITS: 'on' } });
});
afterAll(() => platform.stop());

const fromNewAddress = () => ({
  'X-Forwarded-For': `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 250)).join('.')}`,
});
const someone = () => ({
  email: `user-${randomUUID()}@example.test`,
  password: 'a-good-password',
  displayName: 'Somebody',
});

describe('rate limits', () => {
  it('allow an address twenty registrations a minute, through both doors together', async () => {
    const headers = fromNewAddress();
    const byRest = () =>
      platform.rest('identity', 'POST', '/auth/register', { headers, body: { email: 'none' } });
    const byGraph = () =>
      platform.graph(
        'identity',
        'mutation ($input: RegisterInput!) { register(input: $input) { id } }',
        { input: { ...someone(), email: 'none' } },
        { headers },
      );
    for (let time = 0; time < 10; time += 1) {
      expect((await byRest()).status).toBe(400);
      expect((await byGraph()).errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
    }
    const late = await byRest();
    expect(late).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(late.headers.get('ratelimit-policy')).toContain('20');
    expect((await byGraph()).errors?.[0]?.extensions).toMatchObject({
      code: 'RATE_LIMITED',
      http: { status: 429 },
    });
    expect(
      (
        await platform.rest('identity', 'POST', '/auth/register', {
          headers: fromNewAddress(),
          body: someone(),
        })
      ).status,
    ).toBe(201);
  });

  it('count every alias of an operation', async () => {
    const headers = fromNewAddress();
    const input = { refreshToken: 'of nobody' };
    const aliases = Array.from({ length: 20 }, (_, i) => `a${i}: logout(input: $input)`).join(' ');
    const operation = `mutation ($input: LogoutInput) { ${aliases} }`;
    const answers = [];
    for (let time = 0; time < 4; time += 1)
      answers.push(await platform.graph('identity', operation, { input }, { headers }));
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
      undefined,
      undefined,
      undefined,
      'RATE_LIMITED',
    ]);
    // The other door shares the count.
    expect((await platform.rest('identity', 'POST', '/auth/logout', { headers, body: input })).status).toBe(
      429,
    );
  });

  it('allow a caller sixty requests a minute to /auth, and more to the rest of the service', async () => {
    const headers = fromNewAddress();
    const { body } = await platform.rest('identity', 'POST', '/auth/login', {
      headers,
      body: { email: 'zoe@aqua.test', password: 'demo-password-1' },
    });
    const call = (path: string) => platform.rest('identity', 'GET', path, { token: body.token, headers });
    const answers = await Promise.all(Array.from({ length: 61 }, () => call('/auth/me')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await call('/users/me')).status).toBe(200);
  });
});
