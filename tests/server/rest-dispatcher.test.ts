import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { Dispatcher } from '#server/rest/dispatcher.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { BothWays, OF_THE_WAY, wireRequest, type SentRequest } from '../support/both-ways.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { requestsTo } from '../support/route-requests.ts';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

const PAGES = ['/docs', '/health/live', '/openapi.json', '/graphql', '/nothing', '/'];

/** Each route gets one in this many of its requests, and the next route gets others. `REST_REQUESTS=all` sends all. */
const SHARE = process.env.REST_REQUESTS === 'all' ? 1 : 4;

type Header = readonly [name: string, value: string];

const get = (target: string, headers: readonly Header[], version: '1.0' | '1.1' = '1.1'): SentRequest => ({
  name: `GET ${target.slice(0, 60)} ${JSON.stringify(headers).slice(0, 200)}`,
  bytes: wireRequest({ method: 'GET', target, headers, version }),
  methods: ['GET'],
});

const UNUSUAL_TARGETS = [
  '/locations?',
  '/locations?a=%',
  '/locations?limit=1&limit=2',
  '/locations#part',
  '/locations?limit=1#part',
  '/locations?limit=1\u00a0',
  'http://localhost/locations',
  '//locations',
  '/./locations',
  '/locations/../gyms',
  '/locations;x=1',
  '*',
  '/locations?x=ä',
  '/loc%61tions',
  '/locations%2fcheck-in',
  '/locations/%zz',
  '/locations/\u00a0',
  '/locations?\u00a0',
  `/locations?x=${'x'.repeat(20_000)}`,
  `/locations?x=${'x'.repeat(40_000)}`,
  `/${'x'.repeat(20_000)}`,
];

let platform: TestPlatform;
let member: string;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
  member = `Bearer ${await platform.demo('maya@iron.test')}`;
});
afterAll(() => platform.stop());

/**
 * Sends the requests one after the other in both ways, and returns the differences of answers, log lines and metrics.
 */
async function differencesOf(ways: BothWays, requests: readonly SentRequest[]): Promise<string[]> {
  const found: string[] = [];
  for (const request of requests) found.push(...(await ways.differences(request)).differences);
  return [...found, ...(await ways.recorded())];
}

const routesOf = (service: ServiceName): readonly RestRoute<never>[] =>
  subgraphs.find(({ name }) => name === service)?.rest ?? [];

describe('REST requests to a service with the dispatcher', () => {
  it.each(SERVICE_NAMES)(
    'have the answers, log lines and metrics of Express at every route of %s',
    async (service) => {
      const ways = await BothWays.of(platform, service);
      const requests = routesOf(service).flatMap((route, index) =>
        requestsTo(route, member).filter((_request, number) => (index + number) % SHARE === 0),
      );
      requests.push(...PAGES.map((target) => get(target, [['Authorization', member]])));
      expect(await differencesOf(ways, requests)).toEqual([]);
    },
    120_000,
  );

  it('have the answers of Express to valid writes, also if an Idempotency-Key is repeated', async () => {
    const ways = await BothWays.of(platform, 'nutrition');
    const meal = { foodName: 'Oatmeal', calories: 158, protein: 5.5, carbs: 27, fats: 3.2 };
    const log = (body: object, ...headers: (readonly [string, string])[]): SentRequest => ({
      name: `POST /log ${JSON.stringify(headers)}`,
      bytes: wireRequest({
        method: 'POST',
        target: '/log',
        headers: [['Authorization', member], JSON_TYPE, ...headers],
        body: JSON.stringify(body),
      }),
      methods: ['POST'],
    });
    const key = ['Idempotency-Key', `${randomUUID()}${OF_THE_WAY}`] as const;
    const first = await ways.differences(log(meal, key));
    expect(first.responses[0]).toMatchObject({ status: 201 });
    const again = await ways.differences(log(meal, key));
    expect(again.responses[0]?.headers).toContain('Idempotency-Replayed: true');
    expect([...first.differences, ...again.differences]).toEqual([]);
    expect(await differencesOf(ways, [log(meal), log({ ...meal, calories: 1 }, key)])).toEqual([]);
  });

  it('have the rate limits of Express', async () => {
    const identity = await BothWays.of(platform, 'identity', true);
    // 60 requests a minute are allowed, so that a slow machine can send them within the minute, too.
    const attempt = get('/auth/sessions', [['Authorization', member]]);
    const statuses = new Set<number | undefined>();
    for (let count = 0; count < 62; count += 1) {
      const { differences, responses } = await identity.differences(attempt);
      statuses.add(responses[0]?.status);
      expect(differences).toEqual([]);
    }
    expect([...statuses]).toEqual([200, 429]);
    expect(await identity.recorded()).toEqual([]);
    const gym = await BothWays.of(platform, 'gym', true);
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1'])
      expect((await gym.differences(get('/gyms', [['X-Forwarded-For', address]]))).differences).toEqual([]);
    expect(await gym.recorded()).toEqual([]);
  }, 60_000);

  it('have the answers of Express to unusual targets, headers and connections', async () => {
    const ways = await BothWays.of(platform, 'gym');
    const own = ['Authorization', member] as const;
    const locations = '/locations';
    const config = `/gym/config/${DEMO_GYMS.ironTemple.id}`;
    const tag = await tagOf(ways, get(config, [own]));
    const requests = UNUSUAL_TARGETS.map((target) => get(target, [own]));
    requests.push(
      get(locations, [own, ['Authorization', 'Bearer a.b.c']]),
      get(locations, [own, ['Accept-Encoding', 'gzip'], ['Accept-Encoding', 'br']]),
      get(locations, [own, ['Accept-Encoding', 'nonsense']]),
      get(locations, [own, ['Expect', 'nonsense']]),
      get(locations, [own, ['Connection', 'close']]),
      get(locations, [own, ['X-Forwarded-Prefix', '/gym'], ['X-Forwarded-For', '10.0.0.1']]),
      get(locations, [own, ['X-Request-Id', 'a b']]),
      get(locations, [own, ['X-Time-Limit-Millis', '1000']]),
      get(locations, [own, ['X-On-Behalf-Of', randomUUID()]]),
      get(locations, [own, ['Content-Length', '0']]),
      get(locations, [own, ['Content-Length', '3'], ['Content-Length', '4']]),
      get(locations, [own, ['Transfer-Encoding', 'gzip']]),
      get(locations, [own], '1.0'),
      get(locations, [own, ['Connection', 'keep-alive']], '1.0'),
      get(config, [own, ['If-None-Match', tag]]),
      get(config, [own, ['If-None-Match', `"x", W/${tag}`]]),
      get(config, [own, ['If-None-Match', tag], ['If-None-Match', '"x"']]),
      get(config, [own, ['If-Modified-Since', 'Mon, 23 Nov 2026 12:00:00 GMT']]),
      pipelined([
        get(locations, [own]),
        get('/gyms', [own]),
        get('/nothing', [own]),
        get(`/locations/${demoId('301', 1)}`, [own]),
        get(locations, [own]),
      ]),
    );
    expect(await differencesOf(ways, requests)).toEqual([]);
  });

  it('have the log line and metrics of Express if the client leaves before its body is complete', async () => {
    const ways = await BothWays.of(platform, 'nutrition');
    const half: SentRequest = {
      name: 'half a body',
      bytes: wireRequest({
        method: 'POST',
        target: '/log',
        headers: [['Authorization', member], JSON_TYPE, ['Content-Length', '20']],
        body: '{"foodName"',
      }),
      methods: ['POST'],
      leaves: true,
    };
    expect(await differencesOf(ways, [half])).toEqual([]);
  });
});

describe('a dispatcher', () => {
  it.each(SERVICE_NAMES)(
    'serves the routes of %s, except those with files, streams or other media types',
    async (service) => {
      const routes = routesOf(service);
      const handled: string[] = [];
      const app = express();
      const log = pino({ level: 'silent' });
      const dispatcher = new Dispatcher({
        service,
        routes: routes.map((route) => ({
          route,
          handle: async (exchange) => {
            handled.push(nameOf(route));
            await exchange.send(204, {}, undefined);
          },
        })),
        app,
        log,
        metrics: createMetrics(service),
        origins: new RequestOrigins([]),
        settings: { corsOrigins: [], demo: false },
      });
      const server = createServer(dispatcher.listener((_req, res) => void res.writeHead(500).end()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const { method, path } of routes)
        await fetch(url + path.replaceAll(/:\w+/g, () => randomUUID()), { method });
      server.close();
      const others = routes.filter(
        ({ upload, consumes, success }) =>
          (upload && !upload.optional) || consumes || success.contentType || success.streamed,
      );
      expect([...handled, ...others.map(nameOf)].toSorted()).toEqual(routes.map(nameOf).toSorted());
    },
  );
});

const nameOf = ({ method, path }: RestRoute<never>): string => `${method} ${path}`;

async function tagOf(ways: BothWays, request: SentRequest): Promise<string> {
  const { responses } = await ways.differences(request);
  const line = responses[0]?.headers.find((header) => header.startsWith('ETag: '));
  if (!line) throw new Error('the answer has no ETag');
  return line.slice('ETag: '.length);
}

/** Several requests in one packet. */
const pipelined = (requests: readonly SentRequest[]): SentRequest => ({
  name: 'pipelined requests',
  bytes: Buffer.concat(
    requests.map(({ bytes }, at) =>
      Buffer.from(bytes.toString().replace('\r\n', `\r\nX-Request-Id: case-pipelined-${at}\r\n`)),
    ),
  ),
  methods: requests.flatMap(({ methods }) => methods),
});
