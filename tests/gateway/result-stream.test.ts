import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { TokenVerifier } from '#server/auth/token-verifier.ts';
import { ANONYMOUS, type UserViewer, type Viewer } from '#server/auth/viewer.ts';
import type { PlatformError } from '#server/errors.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { OpenStreams } from '../../gateway/streams/open-streams.ts';
import { ResultStream } from '../../gateway/streams/result-stream.ts';
import { streamFormatFor } from '../../gateway/streams/stream-format.ts';
import { ResultQueue } from '../../gateway/subscriptions/result-queue.ts';
import { eventually } from '../support/eventually.ts';
import { openStream, STREAM_PROTOCOLS, type OpenStream } from '../support/stream.ts';

const HEARTBEAT_MILLIS = 50;
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A server of streams; the test pushes their results. */
let server: http.Server;
let streams: OpenStreams;
let revoked: Set<string>;
let viewer: Viewer;
/** The queue of the latest stream. */
let results: ResultQueue;
/** The queues of the streams that have ended, or whose client has left. */
let left: Set<ResultQueue>;
let refusals: unknown[];
const opened: OpenStream[] = [];

beforeEach(async () => {
  viewer = ANONYMOUS;
  revoked = new Set();
  left = new Set();
  refusals = [];
  const settings = gatewaySettingsOf({ SOCKETS_PER_USER: '2', SOCKETS_PER_ADDRESS: '3', DEMO: 'on' });
  streams = new OpenStreams({
    settings,
    metrics: createMetrics('gateway'),
    verifier: new TokenVerifier({
      issuer: 'test',
      audience: 'test',
      keys: { get: async () => publicKey.export({ type: 'spki', format: 'pem' }) as string },
      isRevoked: (known) => 'sessionId' in known && revoked.has(known.sessionId),
    }),
    heartbeatMillis: HEARTBEAT_MILLIS,
  });
  server = http.createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close();
  await streams.close();
  server.closeAllConnections();
  server.close();
});

async function answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  if (req.headers['x-leaves'] === 'first') {
    const closed = once(res, 'close');
    server.emit('waiting', res);
    await closed;
  }
  const format = streamFormatFor(req.headers);
  if (!format) throw new Error('no format');
  const queue: ResultQueue = new ResultQueue(() => left.add(queue));
  const shown = (error: unknown) =>
    error instanceof GraphQLError ? error : new GraphQLError('an error of the server');
  try {
    const leave = streams.reserve(viewer, 'an address');
    results = queue;
    const deliveries = { sending: () => undefined };
    const stream = new ResultStream({ res, format, results: queue, deliveries, shown });
    server.emit('stream');
    await streams.run(stream, viewer).finally(leave);
  } catch (error) {
    refusals.push(error);
    res.statusCode = 400;
    res.end('{}');
  }
}

/** Opens a stream, whose first result is `{data: {number: 0}}`. */
async function begun(protocol: 'sse' | 'multipart'): Promise<OpenStream> {
  const started = once(server, 'stream');
  const opening = openStream(url(), protocol, { query: 'subscription { number }' });
  await started;
  results.push({ data: { number: 0 } });
  const stream = await opening;
  opened.push(stream);
  expect((await stream.result()).data).toEqual({ number: 0 });
  return stream;
}

const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const userUntil = (expiresAt: number): UserViewer => ({
  kind: 'user',
  userId: randomUUID(),
  role: 'MEMBER',
  gymId: null,
  sessionId: randomUUID(),
  expiresAt,
});

/** Reads messages until the body ends. @returns the kind of each, or the code if it is an error */
async function rest(stream: OpenStream): Promise<unknown[]> {
  const messages = [];
  for (;;) {
    const message = await stream.next();
    messages.push(message.kind === 'failed' ? message.errors[0]?.extensions?.code : message.kind);
    if (message.kind === 'end' || message.kind === 'broken') return messages;
  }
}

describe.each(['sse', 'multipart'] as const)('a stream of results (%s)', (protocol) => {
  it('sends a heartbeat while there are no results', async () => {
    const stream = await begun(protocol);
    for (let beats = 0; beats < 3; beats += 1) {
      let message = await stream.message();
      while (message.kind === 'result') message = await stream.message();
      expect(message).toEqual({ kind: 'heartbeat' });
    }
    results.push({ data: { number: 1 } });
    expect((await stream.result()).data).toEqual({ number: 1 });
  });

  it('ends with `complete` and the end of the body when the results end', async () => {
    const stream = await begun(protocol);
    results.end();
    expect(await rest(stream)).toEqual(['complete', 'end']);
    expect(left.size).toBe(1);
  });

  it('ends with the error of the results', async () => {
    const stream = await begun(protocol);
    results.fail(new GraphQLError('too slow', { extensions: { code: 'SUBSCRIPTION_SLOW_CONSUMER' } }));
    expect(await rest(stream)).toEqual(['SUBSCRIPTION_SLOW_CONSUMER', 'complete', 'end']);
  });

  it('begins after a second without a result', async () => {
    const stream = await openStream(url(), protocol, { query: 'subscription { number }' });
    opened.push(stream);
    expect(stream.status).toBe(200);
    results.push({ data: { number: 5 } });
    expect((await stream.result()).data).toEqual({ number: 5 });
  });

  it('does not begin if there is an error before the first result', async () => {
    const started = once(server, 'stream');
    const opening = openStream(url(), protocol, { query: 'subscription { number }' });
    await started;
    results.fail(new GraphQLError('no'));
    expect((await opening).status).toBe(400);
    expect(refusals).toMatchObject([{ message: 'no' }]);
  });

  it('is interrupted when the token expires, and when its session ends', async () => {
    viewer = userUntil(Date.now() + 700);
    const expiring = await begun(protocol);
    expect(await rest(expiring)).toEqual(
      protocol === 'sse' ? ['UNAUTHENTICATED', 'end'] : ['UNAUTHENTICATED', 'complete', 'end'],
    );
    const user = userUntil(Date.now() + 60_000);
    viewer = user;
    const ending = await begun(protocol);
    revoked.add(user.sessionId);
    expect((await rest(ending))[0]).toBe('UNAUTHENTICATED');
    expect(left.size).toBe(2);
  });

  it('is interrupted when the server stops; further ones are refused', async () => {
    const stream = await begun(protocol);
    const closing = streams.close();
    expect((await rest(stream))[0]).toBe('SERVER_STOPPING');
    await closing;
    expect((await openStream(url(), protocol, { query: 'subscription { number }' })).status).toBe(400);
    expect(refusals).toMatchObject([{ code: 'SERVER_STOPPING', status: 503 }]);
  });

  it('does not begin if the server stops before the first result', async () => {
    const started = once(server, 'stream');
    const opening = openStream(url(), protocol, { query: 'subscription { number }' });
    await started;
    await streams.close();
    expect((await opening).status).toBe(400);
    expect(refusals).toMatchObject([{ code: 'SERVER_STOPPING' }]);
  });

  it('disconnects a client that reads nothing, before 200 results wait for it', async () => {
    const stream = await begun(protocol);
    stream.response.pause();
    const text = 'x'.repeat(1024 * 1024);
    for (let pushed = 0; left.size === 0; pushed += 1) {
      results.push({ data: { number: pushed, text } });
      await new Promise(setImmediate);
      expect(pushed).toBeLessThan(200);
    }
    await eventually(async () => (await connections()) === 0);
  });

  it('unsubscribes also a client that left before its stream was made', async () => {
    const leaving = http.get(url(), { headers: { accept: STREAM_PROTOCOLS[protocol], 'x-leaves': 'first' } });
    leaving.on('error', () => undefined);
    const [res] = (await once(server, 'waiting')) as [http.ServerResponse];
    const started = once(server, 'stream');
    leaving.destroy();
    await started;
    expect(res.closed).toBe(true);
    expect([...left]).toEqual([results]);
  });

  it('unsubscribes, within a second, a client that leaves', async () => {
    const stream = await begun(protocol);
    stream.close();
    expect(await eventually(async () => left.size === 1, 1_000)).toBe(true);
  });
});

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('the number of streams', () => {
  const refusal = (): unknown => refusals.map((error) => (error as PlatformError).code);

  it('of one user is bounded; after one has ended, another may begin', async () => {
    viewer = userUntil(Date.now() + 60_000);
    const [first] = [await begun('sse'), await begun('multipart')];
    await openStream(url(), 'sse', { query: 'subscription { number }' });
    expect(refusal()).toEqual(['RATE_LIMITED']);
    first?.close();
    await eventually(async () => left.size === 1);
    await begun('sse');
  });

  it('of one address is bounded', async () => {
    for (let count = 0; count < 3; count += 1) await begun('sse');
    await openStream(url(), 'sse', { query: 'subscription { number }' });
    expect(refusal()).toEqual(['RATE_LIMITED']);
  });
});
