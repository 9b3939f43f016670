import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import * as stable from '@opentelemetry/semantic-conventions';
import * as incubating from '@opentelemetry/semantic-conventions/incubating';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway, type RunningGateway } from '../../gateway/start-gateway.ts';
import { eventually } from '../support/eventually.ts';
import {
  CALLERS_SPAN,
  startCollector,
  traceparentOf,
  tracingTo,
  treeOf,
  wayTo,
  type CollectedSpan,
  type Collector,
} from '../support/collector.ts';
import { traceChart } from '../../scripts/trace-chart.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/subscribe.ts';

let collector: Collector;
let platform: TestPlatform;
let receiver: Receiver;
/** A replica of the gateway, which subscribes at a replica of the gym service. */
let otherGateway: RunningGateway;
let trace: CollectedSpan[];
let traceId: string;
/** Values of the requests, which no span may contain. */
let secrets: string[];

const CHECK_IN = `mutation CheckIn($in: CheckInInput!) { checkIn(input: $in) { id location { name gym { name } } user { displayName } } }`;
const OCCUPANCY =
  'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people location { name gym { name } } } }';

beforeAll(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  platform = await startPlatform({
    services: ['identity', 'gym', 'content'],
    gateway: true,
    env: tracingTo(collector),
  });
  const replica = await platform.replica('gym');
  otherGateway = await startGateway(
    gatewaySettingsOf({ ...platform.env, GATEWAY_PORT: '0', GYM_URL: replica.url }),
  );
  const staff = await platform.demo('admin@iron.test');
  const leo = await platform.demo('leo@iron.test');
  const maya = await platform.demo('maya@iron.test');
  const { body: location } = await platform.rest('gym', 'POST', '/locations', {
    token: staff,
    body: { name: `Hall ${randomUUID()}`, capacity: 10, timezone: 'Europe/Berlin' },
  });
  const { body: me } = await platform.rest('identity', 'GET', '/users/me', { token: maya });
  await platform.rest('gym', 'POST', '/webhooks', {
    token: staff,
    body: { url: receiver.url, types: ['check_in.opened'] },
  });
  const events = subscribe(otherGateway.url, OCCUPANCY, { id: location.id }, leo);
  assert.equal((await events.next()).data?.occupancyChanged.people, 0);

  secrets = [staff, me.qrCode, me.id, me.email, location.id, location.name, receiver.url].map(String);
  traceId = randomBytes(16).toString('hex');
  const { data, errors } = await platform.graph(
    'gateway',
    CHECK_IN,
    { in: { qrCode: me.qrCode, locationId: location.id } },
    { token: staff, headers: { traceparent: traceparentOf(traceId) } },
  );
  assert.equal(errors, undefined);
  assert.equal(data.checkIn.location.gym.name, DEMO_GYMS.ironTemple.name);
  assert.equal((await events.next()).data?.occupancyChanged.people, 1);
  await events.close();
  trace = await collector.trace(traceId, (spans) =>
    ['send occupancyChanged', 'POST webhook', 'publish events', 'POST /graphql'].every((name) =>
      spans.some(
        (span) => span.name === name && (name !== 'POST /graphql' || span.parentId === CALLERS_SPAN),
      ),
    ),
  );
  if (process.env.DRAW_TRACE)
    await writeFile(
      new URL('../../docs/trace.svg', import.meta.url),
      traceChart(trace, {
        'POST /graphql': "the mutation of one member's browser",
        'send occupancyChanged': "the event for another member's browser",
        'POST webhook': 'a receiver of the gym',
      }),
    );
});
afterAll(async () => {
  await otherGateway.stop();
  await platform.stop();
  await receiver.stop();
  await collector.stop();
});

const named = (name: string, service?: string): CollectedSpan[] =>
  trace.filter((span) => span.name === name && (service === undefined || span.service === service));

describe('a check-in over the gateway', () => {
  it('is one trace from a mutation to a subscription, over two replicas of the gateway and of gym', () => {
    const [sent] = named('send occupancyChanged');
    expect(wayTo(sent, trace)).toEqual([
      'gateway: POST /graphql',
      'gateway: POST /graphql',
      'gym: POST /graphql',
      'gym: event occupancyChanged',
      'gateway: event occupancyChanged',
      'gateway: send occupancyChanged',
    ]);
    const first = named('POST /graphql', 'gateway').find(({ kind }) => kind === SERVER);
    expect(first?.parentId).toBe(CALLERS_SPAN);
    // The replicas have ids of their own.
    expect(new Set(trace.filter(({ service }) => service === 'gateway').map(instanceOf)).size).toBe(2);
    expect(new Set(trace.filter(({ service }) => service === 'gym').map(instanceOf)).size).toBe(2);
  });

  it('has a parent for each span, which does not begin before its parent', () => {
    const known = new Set(trace.map(({ spanId }) => spanId));
    expect(trace.filter(({ parentId }) => parentId !== CALLERS_SPAN && !known.has(parentId))).toEqual([]);
    for (const span of trace) {
      const parent = trace.find(({ spanId }) => spanId === span.parentId);
      // A tolerance of 5 ms for clocks, although all servers of this test run in one process.
      expect(span.startedAt).toBeGreaterThan((parent?.startedAt ?? 0) - 5);
    }
  });

  it('contains the planning, a fetch, the request for the code, statements, the event and its webhook', () => {
    const below = (name: string, parent: string) =>
      named(name).some((span) => wayTo(span, trace).at(-2) === parent);
    expect(below('plan', 'gateway: POST /graphql')).toBe(true);
    expect(below('POST /graphql', 'gateway: POST /graphql')).toBe(true);
    expect(below('GET /qr-codes/:qrCode', 'gym: GET')).toBe(true);
    for (const name of ['WITH check_in', 'INSERT event_outbox', 'COMMIT', 'publish events', 'POST webhook'])
      expect([name, below(name, 'gym: POST /graphql')]).toEqual([name, true]);
    expect(named('COMMIT').length).toBeGreaterThan(0);
    expect(named('POST webhook')[0]?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 204,
      'messaging.destination.name': 'check_in.opened',
    });
  });

  it('has the expected attributes, and only attributes of the semantic conventions', () => {
    const request = named('POST /graphql', 'gateway').find(({ kind }) => kind === SERVER);
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'graphql.operation.type': 'mutation',
      'graphql.operation.name': 'CheckIn',
    });
    expect(request?.resource).toMatchObject({
      'service.name': 'gateway',
      'service.namespace': 'fitness-platform',
      'service.version': '1.0.0',
    });
    for (const { attributes } of trace.filter((span) => span.attributes['db.system.name'] !== undefined))
      expect(attributes).toMatchObject({
        'db.system.name': 'postgresql',
        'db.namespace': expect.any(String),
        'db.operation.name': expect.stringMatching(/^[A-Z]+$/),
        'db.query.text': expect.any(String),
      });
    const conventions = new Set(
      [stable, incubating].flatMap((names: object) => Object.values(names) as unknown[]),
    );
    const names = new Set(
      trace.flatMap(({ attributes, resource }) => [...Object.keys(attributes), ...Object.keys(resource)]),
    );
    expect([...names].filter((name) => !conventions.has(name))).toEqual([]);
  });

  it('contains no value of the requests and their statements', () => {
    const text = JSON.stringify(trace.map(({ name, attributes }) => [name, attributes]));
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});

describe('a change of a profile over the gateway', () => {
  it('is one trace up to the collection of its event by another service', async () => {
    const id = randomBytes(16).toString('hex');
    const { status } = await platform.rest('gateway', 'PUT', '/identity/profile', {
      token: await platform.demo('leo@iron.test'),
      headers: { traceparent: traceparentOf(id) },
      body: { displayName: `Leo ${randomUUID().slice(0, 8)}` },
    });
    expect(status).toBe(200);
    const spans = await collector.trace(id, (found) =>
      ['collect events', 'PUT /identity', 'publish events'].every((name) =>
        found.some((span) => span.name === name),
      ),
    );
    expect(treeOf(spans)).toEqual(
      expect.arrayContaining(['gateway: PUT /identity', '  gateway: PUT', '    identity: PUT /profile']),
    );
    expect(spans.find(({ name }) => name === 'collect events')?.service).toBe('gym');
  });
});

describe('a job', () => {
  it('is in the trace of the request that added it', async () => {
    const id = randomBytes(16).toString('hex');
    await platform.rest('gateway', 'POST', '/identity/auth/password-reset', {
      headers: { traceparent: traceparentOf(id) },
      body: { email: 'zoe@aqua.test' },
    });
    const spans = await collector.trace(id, (found) =>
      found.some(({ name }) => name === 'run mail_password_token'),
    );
    const job = spans.find(({ name }) => name === 'run mail_password_token');
    const request = spans.find(({ name, service }) => service === 'identity' && name.startsWith('POST '));
    expect(job?.parentId).toBe(request?.spanId);
    expect(job?.attributes).toMatchObject({ 'messaging.destination.name': 'mail_password_token' });
    expect(spans.some(({ parentId, name }) => parentId === job?.spanId && name === 'COMMIT')).toBe(true);
  });
});

describe('a trace', () => {
  it('has its id in the log line of its request', async () => {
    const lines: { msg: string; traceId?: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const replica = await platform.replica('identity', undefined, { log });
    const id = randomBytes(16).toString('hex');
    const token = await platform.demo('leo@iron.test');
    await fetch(`${replica.url}/users/me`, {
      headers: { authorization: `Bearer ${token}`, traceparent: traceparentOf(id) },
    });
    const ofRequest = () => lines.filter(({ msg, traceId: of }) => msg === 'request' && of === id);
    await eventually(async () => ofRequest().length > 0);
    expect(ofRequest()).toHaveLength(1);
  });

  it('has its id in an exemplar of a histogram, in the OpenMetrics format only', async () => {
    const read = async (accept: string) =>
      (await fetch(`${platform.url('gateway')}/metrics`, { headers: { accept } })).text();
    const openMetrics = await read('application/openmetrics-text; version=1.0.0');
    const exemplars = [
      ...openMetrics.matchAll(
        /^operation_duration_seconds_bucket\{.*\} \d+ # \{trace_id="(\w+)",span_id="(\w+)"\}/gm,
      ),
    ];
    expect(exemplars.length).toBeGreaterThan(0);
    for (const [, id, spanId] of exemplars)
      expect(collector.spans).toContainEqual(expect.objectContaining({ traceId: id, spanId }));
    expect(openMetrics).toMatch(/^# TYPE subgraph_requests counter$/m);
    expect(openMetrics).toMatch(/^subgraph_requests_total\{/m);
    expect(openMetrics).toMatch(/\n# EOF\n$/);
    expect(openMetrics.match(/# EOF/g)).toHaveLength(1);
    const text = await read('text/plain');
    expect(text).toMatch(/^# TYPE subgraph_requests_total counter$/m);
    expect(text).not.toContain('trace_id');
  });
});

describe('a request that is not sampled', () => {
  it('has no spans', async () => {
    const id = randomBytes(16).toString('hex');
    const before = collector.spans.length;
    await platform.rest('gateway', 'GET', '/identity/users/me', {
      token: await platform.demo('leo@iron.test'),
      headers: { traceparent: traceparentOf(id, '00') },
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(collector.spans.slice(before).filter((span) => span.traceId === id)).toEqual([]);
  });
});

/** The kind of a span for a request that a server received, as in OTLP. */
const SERVER = 2;
const instanceOf = ({ resource }: CollectedSpan): unknown => resource['service.instance.id'];
