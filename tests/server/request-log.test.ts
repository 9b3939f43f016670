import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createApp } from '#server/http/create-app.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { mountHealth } from '#server/observability/health.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { eventually } from '../support/eventually.ts';

interface Line {
  level: number;
  msg: string;
  operation: string;
  status: number;
}
const { debug, info } = pino.levels.values;
const lines: Line[] = [];
let isWorking = true;
let url: string;
let stop: () => void;

beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  // The cast is safe, because the requests of this test need no other settings.
  const app = createApp({ corsOrigins: [], demo: false } as never, {
    service: 'test',
    origins: new RequestOrigins([]),
    log,
    metrics: createMetrics('test'),
  });
  mountHealth(app, {
    checks: { database: () => (isWorking ? Promise.resolve() : Promise.reject(new Error('lost'))) },
    isStopping: () => false,
    isStuck: async () => !isWorking,
  });
  app.get('/gyms', (_req, res) => void res.json([]));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => server.close();
});
afterAll(() => stop());

async function lineOf(path: string, method = 'GET'): Promise<Line> {
  lines.length = 0;
  await (await fetch(`${url}${path}`, { method })).text();
  await eventually(async () => lines.some(({ msg }) => msg === 'request'));
  return lines.find(({ msg }) => msg === 'request')!;
}

it.each([
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['HEAD', '/health/ready'],
])('%s %s is logged at debug if it succeeds, and at info if it fails', async (method, path) => {
  isWorking = true;
  const operation = `${method} ${path}`;
  expect(await lineOf(path, method)).toMatchObject({ level: debug, operation, status: 200 });
  isWorking = false;
  expect(await lineOf(path, method)).toMatchObject({ level: info, operation, status: 503 });
});

it('other requests are logged at info, and so are unknown paths below /health', async () => {
  expect(await lineOf('/gyms')).toMatchObject({ level: info, status: 200 });
  expect(await lineOf('/health/other')).toMatchObject({ level: info, status: 404 });
});
