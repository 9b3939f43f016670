import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { subgraphs } from '../../subgraphs/index.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let client: { id: string; secret: string };
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'], gateway: true });
  const token = await platform.demo('admin@iron.test');
  const body = { name: 'Turnstile', scopes: ['occupancy:read'] };
  const created = await platform.rest('identity', 'POST', '/api-clients', { token, body });
  client = created.body as typeof client;
});
afterAll(() => platform.stop());

const grant = { grant_type: 'client_credentials' };
const credentials = () => ({ client_id: client.id, client_secret: client.secret });

describe.each(['JSON', 'a form'])('POST /auth/token with %s', (form) => {
  /** Sends the request through the gateway, which has to forward the headers. */
  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    platform.rest('gateway', 'POST', '/identity/auth/token', {
      headers: {
        ...headers,
        ...(form === 'a form' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form === 'a form' ? new URLSearchParams(fields).toString() : fields,
    });

  it('answers a token that no cache stores (RFC 6749, section 5.1)', async () => {
    const { status, headers } = await ask({ ...grant, ...credentials() });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
  });

  const refusals: [string, number, string, () => Record<string, string>][] = [
    ['a wrong secret', 401, 'invalid_client', () => ({ ...grant, ...credentials(), client_secret: 'x' })],
    ['no credentials', 401, 'invalid_client', () => grant],
    [
      'another grant',
      400,
      'unsupported_grant_type',
      () => ({ ...credentials(), grant_type: 'authorization_code' }),
    ],
    ['no grant', 400, 'invalid_request', credentials],
    ['an unknown scope', 400, 'invalid_scope', () => ({ ...grant, ...credentials(), scope: 'everything' })],
    ['a long id', 400, 'invalid_request', () => ({ ...grant, ...credentials(), client_id: 'x'.repeat(41) })],
  ];
  it.each(refusals)(
    'refuses %s with %d and `error` %s (section 5.2)',
    async (_what, status, error, fields) => {
      const answer = await ask(fields());
      expect(answer).toMatchObject({ status, body: { status, code: expect.any(String), error } });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      // A browser would ask the user of a page for a password if the challenge were Basic.
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    },
  );

  it('asks a client with wrong Basic credentials for Basic ones', async () => {
    const authorization = `Basic ${Buffer.from(`${client.id}:wrong`).toString('base64')}`;
    const answer = await ask(grant, { authorization });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="fitness-platform", charset="UTF-8"');
  });

  it('stores the member `error` with the answer for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `refused-by-${form.replace(' ', '-')}` };
    const answers = [];
    for (let time = 0; time < 2; time += 1)
      answers.push(await ask({ ...grant, ...credentials(), scope: 'everything' }, headers));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true');
  });
});

it('other routes answer without a member `error`', async () => {
  const answer = await platform.rest('identity', 'POST', '/auth/login', {
    body: { email: 'a@b.test', password: 'x' },
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.body).not.toHaveProperty('error');
});

it('the OpenAPI document declares `error` at POST /auth/token only', async () => {
  const { body } = await platform.rest('identity', 'GET', '/openapi.json');
  const schemaOf = (path: string) =>
    body.paths[path].post.responses[401].content['application/problem+json'].schema.$ref as string;
  expect(schemaOf('/auth/login')).toBe('#/components/schemas/Problem');
  const name = schemaOf('/auth/token').split('/').at(-1) ?? '';
  expect(name).not.toBe('Problem');
  expect(JSON.stringify(body.components.schemas[name])).toContain('"invalid_client"');
});

it('the OpenAPI document declares 304 only for answers with an ETag', async () => {
  const { body } = await platform.rest('gym', 'GET', '/openapi.json');
  const statusesOf = (path: string) => Object.keys(body.paths[path].get.responses as object);
  expect(statusesOf('/locations/{id}/visits.csv')).not.toContain('304');
  expect(statusesOf('/locations')).toContain('304');
});

describe('an answer with a secret', () => {
  const SECRET = /^(token|access_token|refreshToken|secret)$/;
  it('is declared as one that no cache stores', () => {
    const rest = subgraphs.find(({ name }) => name === 'identity')?.rest ?? [];
    const routes = rest.filter(
      ({ success: { shape } }) =>
        shape instanceof z.ZodObject && Object.keys(shape.shape).some((name) => SECRET.test(name)),
    );
    expect(routes.length).toBeGreaterThan(3);
    expect(routes.filter(({ success }) => !success.noStore).map(({ path }) => path)).toEqual([]);
  });

  it('is not stored after a log-in and a refresh', async () => {
    const { email, password } = await platform.register();
    const logIn = await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } });
    const { refreshToken } = logIn.body as { refreshToken: string };
    const refresh = await platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken } });
    for (const { status, headers } of [logIn, refresh]) {
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});
