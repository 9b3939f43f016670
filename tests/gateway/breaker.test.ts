import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from '@jest/globals';
import { createMetrics } from '#server/observability/metrics.ts';
import { SubgraphRequestCounts } from '../../gateway/subgraphs/subgraph-request-counts.ts';
import { itConcurrently } from '../support/it-concurrently.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { onThisMachine, withinOnThisMachine } from '../support/slow-machine.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';
const TIMEOUT_MILLIS = onThisMachine(600);
/** The time that a busy machine may need in addition. */
const MARGIN_MILLIS = 1_500;

const graphs: OtherGraph[] = [];
afterAll(async () => {
  for (const graph of graphs) await graph.stop();
});

async function start(): Promise<OtherGraph> {
  const graph = await startOtherGraph(
    {
      people: {
        typeDefs: `${LINK} type Query { person: Person } type Person @key(fields: "id") { id: ID! name: String }`,
        resolvers: { Query: { person: () => ({ id: '1', name: 'Ann' }) } },
      },
      visits: {
        typeDefs: `${LINK} type Query { doors: Int slow(one: Int): Int } type Person @key(fields: "id") { id: ID! visits: Int }`,
        resolvers: {
          Query: { doors: () => 3, slow: () => sleep(20_000, 1, { ref: false }) },
          Person: { __resolveReference: () => ({ visits: 7 }) },
        },
      },
    },
    { SUBGRAPH_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS) },
  );
  graphs.push(graph);
  return graph;
}

const HOME = '{ person { name visits } doors }';
const WITHOUT_VISITS = { person: { name: 'Ann', visits: null }, doors: null };
const neverAnswer = (): void => undefined;
const codesOf = ({ errors = [] }: { errors?: { extensions: { code: string } }[] }): string[] =>
  errors.map(({ extensions }) => extensions.code);

/** Sends the query until its answer has UPSTREAM_UNAVAILABLE: then the breaker is open, and no request is sent. */
async function untilOpen(graph: OtherGraph): Promise<void> {
  const until = Date.now() + 20_000;
  while (Date.now() < until)
    if (codesOf((await graph.ask(HOME)).body).includes('UPSTREAM_UNAVAILABLE')) return;
  throw new Error('the breaker does not open');
}

itConcurrently(
  'a subgraph that hangs delays an operation by one time limit, although the operation fetches from it twice',
  async () => {
    const graph = await start();
    expect((await graph.ask(HOME)).body.data).toEqual({ person: { name: 'Ann', visits: 7 }, doors: 3 });
    const visits = graph.subgraph('visits');
    visits.instead = neverAnswer;
    // The fetch of `doors` is sent first, the one of `visits` when `person` is known.
    const first = await graph.ask(HOME);
    expect(first.body.data).toEqual(WITHOUT_VISITS);
    expect(codesOf(first.body)).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
    expect(first.millis).toBeLessThan(TIMEOUT_MILLIS + withinOnThisMachine(MARGIN_MILLIS));
  },
);

itConcurrently(
  'after some time-outs, fields of a subgraph that hangs are null without delay, until it answers a probe',
  async () => {
    const graph = await start();
    const visits = graph.subgraph('visits');
    expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
    visits.instead = neverAnswer;
    await untilOpen(graph);
    const answerMillis: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { body, millis } = await graph.ask(HOME);
      expect(body.data).toEqual(WITHOUT_VISITS);
      expect(codesOf(body)).toContain('UPSTREAM_UNAVAILABLE');
      answerMillis.push(millis);
    }
    expect(answerMillis.toSorted((a, b) => a - b)[2]).toBeLessThan(withinOnThisMachine(100));
    visits.instead = undefined;
    const until = Date.now() + 20_000;
    for (;;) {
      const { body } = await graph.ask(HOME);
      if (!body.errors) break;
      expect(codesOf(body)).not.toContain('UPSTREAM_TIMEOUT');
      expect(Date.now()).toBeLessThan(until);
      await sleep(50);
    }
  },
);

itConcurrently(
  'slow operations do not open the breaker of a subgraph that answers a probe or other operations',
  async () => {
    const graph = await start();
    const slow = (round: number) =>
      Promise.all(
        Array.from({ length: 10 }, async (_, one) => {
          const { body } = await graph.ask(`query { slow(one: ${round * 100 + one}) }`);
          expect(codesOf(body)).toEqual(['UPSTREAM_TIMEOUT']);
        }),
      );
    await slow(1);
    await slow(2);
    expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
    let isOver = false;
    const slower = slow(3).finally(() => (isOver = true));
    while (!isOver) {
      expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
      await sleep(20);
    }
    await slower;
    await sleep(1_100); // longer than the time limit of a probe, 1 s
    expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
  },
);

itConcurrently(
  'a subgraph that failed three of its first five requests gets no further request',
  async () => {
    const graph = await start();
    const visits = graph.subgraph('visits');
    let count = 0;
    visits.instead = (_req: http.IncomingMessage, res: http.ServerResponse) => {
      count += 1;
      if (count % 2 === 0) res.end('{"data":{"doors":3}}');
      else res.writeHead(500).end('no GraphQL');
    };
    const codes: string[] = [];
    for (let i = 0; i < 8; i += 1) codes.push(...codesOf((await graph.ask('{ doors }')).body));
    const { requests } = visits;
    await graph.ask('{ doors }');
    expect(visits.requests).toBe(requests);
    expect(requests).toBe(5);
  },
);

itConcurrently(
  'the metrics show an open breaker after a reload that keeps the URL, but not after one with a new URL',
  async () => {
    const { registry } = createMetrics('gateway');
    const counts = new SubgraphRequestCounts(registry);
    const shown = async () =>
      /^subgraph_breaker_open\{.*subgraph="visits".*\} (\d)$/m.exec(await registry.metrics())?.[1];
    counts.of('visits', 'http://one/graphql');
    expect(await shown()).toBe('0');
    counts.setBreaker('visits', true);
    counts.of('visits', 'http://one/graphql');
    expect(await shown()).toBe('1');
    counts.of('visits', 'http://two/graphql');
    expect(await shown()).toBe('0');
  },
);
