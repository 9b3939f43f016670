import { spawnSync } from 'node:child_process';
import type http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway, type RunningGateway } from '../../gateway/start-gateway.ts';
import { eventually } from '../support/eventually.ts';
import { startRedis, type OwnRedis } from '../support/redis.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { onThisMachine, withinOnThisMachine } from '../support/slow-machine.ts';

const TYPES = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
    @link(url: "https://example.test/cacheControl/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
  type Query { n: Int public: Int @cacheControl(maxAge: 600) }
  type Mutation { set(n: Int!): Int }
`;

const hasRedis = process.env.REDIS_URL && spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis)
  console.warn('Two gateways are not tested: REDIS_URL is not set, or redis-server is not installed.');

let value = 1;
let redis: OwnRedis | undefined;
let graph: OtherGraph;
let other: RunningGateway;

beforeAll(async () => {
  if (hasRedis) redis = await startRedis();
  const env: Record<string, string> = {
    TRUSTED_PROXIES: '127.0.0.1', // so that a test can be several callers
    ...(redis && { REDIS_URL: redis.url }),
  };
  graph = await startOtherGraph(
    {
      numbers: {
        typeDefs: TYPES,
        resolvers: { Query: { n: () => value, public: () => value }, Mutation: { set } },
      },
    },
    env,
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
      ...env,
    }),
  );
});
afterAll(async () => {
  await other.stop();
  await graph.stop();
  await redis?.stop();
});
beforeEach(() => {
  value = 1;
  graph.subgraph('numbers').instead = undefined;
});

function set(_root: unknown, { n }: { n: number }): number {
  value = n;
  return n;
}

/** @param address the client's; callers without a token are distinguished by it */
const ask = async (
  url: string,
  query: string,
  address = '192.0.2.1',
): Promise<{ data: Record<string, unknown> }> => {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ query }),
  });
  return (await answer.json()) as { data: Record<string, unknown> };
};

/** Sends a query whose answer contains the current value, and delays its answer at the subgraph until `release`. */
async function delayedQuery(
  url: string,
  field = 'n',
  address?: string,
): Promise<{ answer: Promise<{ data: unknown }>; release(): void }> {
  const subgraph = graph.subgraph('numbers');
  const read = value;
  const arrived = new Promise<http.ServerResponse>((resolve) => {
    subgraph.instead = (_req, res) => {
      subgraph.instead = undefined;
      resolve(res);
    };
  });
  const answer = ask(url, `{ ${field} }`, address);
  const response = await arrived;
  return { answer, release: () => void response.end(`{"data":{"${field}":${read}}}`) };
}

describe('a query that is sent after the answer to a mutation of the same caller', () => {
  it.each([
    ['the same gateway', () => [graph.url, graph.url, graph.url]],
    ...(hasRedis
      ? [
          [
            'another gateway, which waits for the answer to an older query',
            () => [other.url, graph.url, other.url],
          ] as const,
        ]
      : []),
  ] as [string, () => string[]][])('reads the written value: at %s', async (_where, urls) => {
    const [early = '', writer = '', late = ''] = urls();
    // The value changes only while the early query is delayed.
    for (let round = 2; round < 12; round += 1) {
      const older = await delayedQuery(early);
      expect(await ask(writer, `mutation { set(n: ${round}) }`)).toEqual({ data: { set: round } });
      expect(await ask(late, '{ n }')).toEqual({ data: { n: round } });
      older.release();
      expect(await older.answer).toEqual({ data: { n: round - 1 } });
    }
  });
});

describe('a response that @cacheControl allows a gateway to cache', () => {
  it.each([
    ['the same gateway', () => graph.url],
    ...(hasRedis ? [['another gateway', () => other.url] as const] : []),
  ] as [string, () => string][])(
    'is removed from the cache after a mutation at %s',
    async (_where, writer) => {
      // The first request prepares the operation; its responses are cached from the second one on.
      await ask(graph.url, '{ public }');
      const requests = () => graph.subgraph('numbers').requests;
      for (let round = 100; round < 105; round += 1) {
        await ask(writer(), `mutation { set(n: ${round}) }`);
        expect(await ask(graph.url, '{ public }')).toEqual({ data: { public: round } });
        // It is cached again once this gateway knows that the mutation at the other one has ended.
        await eventually(async () => {
          const before = requests();
          expect(await ask(graph.url, '{ public }')).toEqual({ data: { public: round } });
          return requests() === before;
        });
      }
    },
  );
});

describe('a response that is cached after a mutation of another caller', () => {
  it('is not that of an older, equal query whose value the subgraph read before the mutation', async () => {
    const [reader, writer] = ['192.0.2.7', '192.0.2.8'];
    // The first request prepares the operation; its responses are cached from the second one on.
    await ask(graph.url, '{ public }', reader);
    await ask(graph.url, 'mutation { set(n: 200) }', writer);
    for (let round = 201; round < 205; round += 1) {
      const older = await delayedQuery(graph.url, 'public', reader);
      await ask(graph.url, `mutation { set(n: ${round}) }`, writer);
      const newer = ask(graph.url, '{ public }', reader);
      // The time limit is for a gateway with a fault: there the newer query waits for the answer to the older one.
      await Promise.race([newer, setTimeout(onThisMachine(2_000), undefined, { ref: false })]);
      older.release();
      expect(await older.answer).toEqual({ data: { public: round - 1 } });
      expect(await newer).toEqual({ data: { public: round } });
      expect(await ask(graph.url, '{ public }', writer)).toEqual({ data: { public: round } });
      await ask(graph.url, `mutation { set(n: ${round}) }`, writer); // empties the cache
    }
  });
});

(hasRedis ? describe : describe.skip)('if Redis has stopped', () => {
  it('the gateway still answers mutations', async () => {
    await redis?.stop();
    const startedAt = performance.now();
    for (let n = 5; n < 10; n += 1)
      expect(await ask(graph.url, `mutation { set(n: ${n}) }`)).toEqual({ data: { set: n } });
    expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(5_000));
    redis = await startRedis();
  });
});
