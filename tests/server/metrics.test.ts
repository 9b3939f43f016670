import http from 'node:http';
import { afterEach, expect, it } from '@jest/globals';
import { freePort } from '#server/http/free-ports.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
afterEach(() => platform.stop());

const start = async (env: Record<string, string>): Promise<void> => {
  platform = await startPlatform({ services: ['identity'], gateway: true, env });
};

/** The status of `GET /metrics` at this URL. */
const statusFor = (at: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    http
      .get(`${at}/metrics`, { agent: false, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
      .once('error', reject);
  });

const SERVERS = ['identity', 'gateway'] as const;
const TOKEN = 'a-token-for-the-scraper';

it('metrics are public with demo data, but not through the gateway', async () => {
  await start({});
  for (const server of SERVERS) expect(await statusFor(platform.url(server))).toBe(200);
  expect((await platform.rest('gateway', 'GET', '/identity/metrics')).status).toBe(404);
});

it('without demo data, metrics can be read only from this machine', async () => {
  await start({ DEMO: 'off' });
  for (const server of SERVERS) {
    expect(await statusFor(platform.url(server))).toBe(200);
    // A trusted proxy on this machine reports a client on another one.
    expect(await statusFor(platform.url(server), { 'x-forwarded-for': '203.0.113.7' })).toBe(404);
  }
});

it('metrics require METRICS_TOKEN if it is set, also with demo data', async () => {
  await start({ METRICS_TOKEN: TOKEN });
  for (const server of SERVERS) {
    const at = platform.url(server);
    expect(await statusFor(at)).toBe(401);
    expect(await statusFor(at, { authorization: 'Bearer another-token-of-some-length' })).toBe(401);
    expect(await statusFor(at, { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.7' })).toBe(
      200,
    );
  }
});

it('metrics of all servers of a process are served at METRICS_PORT, and only there', async () => {
  const port = await freePort();
  await start({ METRICS_PORT: String(port), METRICS_TOKEN: TOKEN });
  for (const server of SERVERS) expect(await statusFor(platform.url(server))).toBe(404);
  await platform.rest('gateway', 'GET', '/health/live');
  await platform.rest('identity', 'GET', '/health/live');
  expect(await statusFor(`http://127.0.0.1:${port}`)).toBe(401);
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const text = await answer.text();
  for (const server of SERVERS)
    expect(text).toMatch(new RegExp(`http_request_duration_seconds_count\\{[^}]*service="${server}"`));
  const described = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(described).size).toBe(described.length);
  expect(text.match(/^process_cpu_seconds_total /gm)).toHaveLength(1);
});
