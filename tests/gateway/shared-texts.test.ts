import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient as createSocketClient } from 'graphql-ws';
import { createClient } from 'redis';
import { WebSocket } from 'ws';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { RedisSharedTexts } from '../../gateway/operations/shared-texts.redis.ts';
import { startGateway, type RunningGateway } from '../../gateway/start-gateway.ts';
import { createLogger } from '../../server/observability/logger.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

/** Tests of several replicas run only if REDIS_URL is set. They start a Redis of their own (tests/chaos/README.md). */
const isTested = process.env.REDIS_URL && hasRedis;
if (!isTested)
  console.warn(
    'Shared persisted operations are not tested: REDIS_URL is not set, or redis-server is not installed.',
  );

const TYPE_DEFS =
  'type Query { echo(text: String!): String! } type Subscription { echoed(text: String!): String! }';
const RESOLVERS = { Query: { echo: (_root: unknown, { text }: { text: string }) => text } };

let redis: OwnRedis;
let graph: OtherGraph;
let other: RunningGateway;

(isTested ? describe : describe.skip)('automatic persisted queries of two gateways with one Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
    graph = await startOtherGraph(
      { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } },
      { REDIS_URL: redis.url },
    );
    other = await startGateway(
      gatewaySettingsOf({
        HOST: '127.0.0.1',
        GATEWAY_PORT: '0',
        DATA_DIR: graph.dataDir,
        DEMO: 'on',
        LOG_LEVEL: 'silent',
        RATE_LIMITS: 'off',
        STOP_GRACE_PERIOD_MILLIS: '500',
        SUPERGRAPH: graph.supergraphFile,
        REDIS_URL: redis.url,
      }),
    );
  });
  afterAll(async () => {
    await other.stop();
    await graph.stop();
    await redis.stop();
  });

  it.each([
    ['in a POST', (hash: string) => post(other.url, byHash(hash))],
    ['in a GET', (hash: string) => get(other.url, hash)],
    ['in a batch', async (hash: string) => ((await post(other.url, [byHash(hash)])) as unknown[])[0]],
    ['over a socket', (hash: string) => overSocket(other.url, hash)],
  ])('whose text one gateway has got can be sent to the other one by hash (%s)', async (_how, send) => {
    const { query, hash, data } = newQuery();
    expect(await post(graph.url, { query, ...byHash(hash) })).toEqual({ data });
    expect(await send(hash)).toEqual({ data });
  });

  it('are unknown until one gateway has got the text', async () => {
    expect(await post(other.url, byHash(newQuery().hash))).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
  });

  it('are not taken from Redis if the text does not have that hash', async () => {
    const { query, hash } = newQuery();
    const client = await createClient({ url: redis.url }).connect();
    await client.hSet('{gateway:persisted}:current', hash, query.replace('text:', 'text :'));
    client.destroy();
    expect(await post(other.url, byHash(hash))).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
  });

  it('are known only to the gateway that got the text, if Redis does not answer', async () => {
    const { query, hash, data } = newQuery();
    redis.hang();
    try {
      expect(await post(graph.url, { query, ...byHash(hash) })).toEqual({ data });
      expect(await post(graph.url, byHash(hash))).toEqual({ data });
      expect(await post(other.url, byHash(hash))).toMatchObject({
        errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      });
    } finally {
      redis.resume();
    }
  });
});

(isTested ? describe : describe.skip)('the store of the texts in Redis', () => {
  it('drops texts that were not used lately once it is full, and keeps those that were', async () => {
    const own = await startRedis();
    const texts = await RedisSharedTexts.open({ redisUrl: own.url }, createLogger('test', 'silent'));
    const client = await createClient({ url: own.url }).connect();
    try {
      const added: string[] = [];
      for (let i = 0; i < 180; i += 1) {
        const text = `# ${randomUUID()} ${'x'.repeat(256 * 1024)}`; // 256 KiB
        added.push(text);
        await texts.add(hashOf(text), text);
        await texts.find(hashOf(added[0] as string));
      }
      // One after the other: each command has a time limit of 100 ms.
      const known: boolean[] = [];
      for (const text of added) known.push((await texts.find(hashOf(text))) === text);
      expect(known.slice(1, 40)).not.toContain(true);
      expect(known.slice(-40)).not.toContain(false);
      expect(known[0]).toBe(true);
      const sizes = await Promise.all(
        ['current', 'previous'].map((name) => client.memoryUsage(`{gateway:persisted}:${name}`)),
      );
      for (const size of sizes) expect(size).toBeLessThan(22 * 1024 * 1024); // 16 MiB and what Redis allocates besides
    } finally {
      client.destroy();
      texts.close();
      await own.stop();
    }
  });
});

function newQuery() {
  const text = randomUUID();
  const query = `{ echo(text: "${text}") }`;
  return { query, hash: hashOf(query), data: { echo: text } };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const byHash = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

async function get(url: string, hash: string): Promise<unknown> {
  const { extensions } = byHash(hash);
  const answer = await fetch(`${url}/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`, {
    headers: { 'apollo-require-preflight': 'true' },
  });
  return answer.json();
}

async function overSocket(url: string, hash: string): Promise<unknown> {
  const client = createSocketClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  try {
    const { value } = await client.iterate({ query: '', ...byHash(hash) }).next();
    return value;
  } finally {
    await client.dispose();
  }
}
