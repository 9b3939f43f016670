import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['gym', 'squad'], gateway: true });
});
afterAll(() => platform.stop());

const READ_ONLY = 'GET, HEAD, OPTIONS';
const LOCATIONS = 'GET, POST, HEAD, OPTIONS';

describe.each([
  ['gym', '/locations', LOCATIONS],
  ['gateway', '/gym/locations', LOCATIONS],
  ['gym', '/graphql', 'POST, OPTIONS'],
  ['gateway', '/graphql', 'GET, POST, HEAD, OPTIONS'],
  ['gym', '/openapi.json', READ_ONLY],
  ['gateway', '/', READ_ONLY],
] as const)('OPTIONS at %s %s', (server, path, allow) => {
  it.each<Record<string, string>>([{}, { origin: 'http://localhost:5173' }])(
    'is answered with the allowed methods (RFC 9110, section 9.3.7), with the headers %j',
    async (headers) => {
      const answer = await platform.rest(server, 'OPTIONS', path, { headers });
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, allow]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(headers.origin ?? null);
    },
  );

  it('is answered to browsers, which ask before a request of another origin', async () => {
    const { status, headers } = await platform.rest(server, 'OPTIONS', path, {
      headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'PUT' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
  });
});

it('OPTIONS at a path where nothing is served is answered with 404', async () => {
  for (const [server, path] of [
    ['gym', '/nothing/here'],
    ['gateway', '/gym/nothing/here'],
    ['gateway', '/gym/metrics'], // private
  ] as const)
    expect((await platform.rest(server, 'OPTIONS', path)).status).toBe(404);
});

it.each([
  ['gym', '/openapi.json'],
  ['gym', '/docs'],
  ['gym', '/docs/scalar.js'],
  ['gym', '/health/live'],
  ['gym', '/health/ready'],
  ['gym', '/metrics'],
  ['squad', '/asyncapi.json'],
  ['gateway', '/'],
  ['gateway', '/openapi.json'],
  ['gateway', '/asyncapi.json'],
  ['gateway', '/asyncapi'],
  ['gateway', '/docs'],
  ['gateway', '/explorer'],
  ['gateway', '/health/ready'],
  ['gateway', '/metrics'],
  ['gateway', '/gym/openapi.json'],
] as const)('a POST to the page %s %s is answered with 405', async (server, path) => {
  const { status, headers, body } = await platform.rest(server, 'POST', path, { body: {} });
  expect({ status, allow: headers.get('allow'), code: body.code }).toEqual({
    status: 405,
    allow: READ_ONLY,
    code: 'METHOD_NOT_ALLOWED',
  });
  expect((await fetch(`${platform.url(server)}${path}`, { method: 'HEAD' })).status).toBe(200);
});
