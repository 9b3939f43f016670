import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { ActualCost } from '../../gateway/limits/actual-cost.ts';
import { MemorySpentCosts } from '../../gateway/limits/spent-costs.ts';
import { startOtherGraph } from '../support/other-graph.ts';
import { ACCEPT_PARTS } from '../support/parts.ts';
import { RESOLVERS, thingsGateway, TYPE_DEFS } from './things-gateway.ts';

const SDL = `
directive @cost(weight: Int!) on FIELD_DEFINITION | OBJECT | ARGUMENT_DEFINITION
type Query { me: User nodes: [Node] tags: [String] @cost(weight: 2) search(text: String @cost(weight: 5)): [User] }
type Mutation { rename: User }
interface Node { id: ID }
type User implements Node { id: ID name: String friends: [User] }
type Gym implements Node @cost(weight: 4) { id: ID halls: [User] }`;

describe('the actual cost of an operation', () => {
  const actual = (text: string, data: unknown): number => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    const graph = { schema: buildSchema(SDL), directives: new AppliedDirectives(SDL) };
    return new ActualCost(document, operation, graph).of(data);
  };

  it.each([
    ['{ me { id name } }', { me: { id: '1', name: 'a' } }, 1],
    ['{ me { id } }', { me: null }, 0],
    [
      '{ me { friends { friends { id } } } }',
      { me: { friends: [{ friends: [{}, {}] }, { friends: null }, null] } },
      5,
    ],
    ['{ me { id } me { friends { id } } again: me { id } }', { me: { friends: [{}] }, again: {} }, 3],
    ['{ tags }', { tags: ['a', 'b', 'c'] }, 6],
    [
      '{ search(text: "a") { ...Parts } } fragment Parts on User { friends { id } }',
      { search: [{ friends: [{}] }] },
      7,
    ],
    [
      '{ nodes { ... on Gym { halls { id } } ... on User { friends { id } } } }',
      { nodes: [{ halls: [{}, {}] }, { friends: [{}] }] },
      5,
    ],
    ['mutation { rename { id } }', { rename: { id: '1' } }, 11],
    ['{ me { id } }', undefined, 0],
  ])('counts what the answer has: %s', (text, data, cost) => {
    expect(actual(text, data)).toBe(cost);
  });
});

describe('a budget', () => {
  const { gateway, send } = thingsGateway();
  const ITEMS = '{ items(first: 50) { nodes { id } } }'; // estimated 51, actual 4

  it('is charged with actual costs over HTTP and the socket, and refuses what may exceed it', async () => {
    const file = path.join(gateway().dataDir, 'budget.json');
    await writeFile(file, JSON.stringify({ cost: { budgetPerMinute: 70, anonymousBudgetPerMinute: 70 } }));
    const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
    const graph = await startOtherGraph(subgraphs, { ROUTER_FILE: file });
    const { url } = graph;
    const socket = createClient({ url: url.replace('http', 'ws') + '/graphql', webSocketImpl: WebSocket });
    const overSocket = () =>
      socket
        .iterate({ query: ITEMS })
        .next()
        .then(({ value }) => value);
    try {
      await untilNewMinute();
      // The estimates of two would exceed the budget, but each answer replaces its estimate by the actual cost, 4.
      for (let i = 0; i < 3; i += 1) expect((await send({ query: ITEMS }, { url })).status).toBe(200);
      expect(await overSocket()).toMatchObject({ data: { items: {} } });
      // 16 are spent, and 51 more fit, but not twice at once.
      const both = await Promise.all([1, 2].map(() => send({ query: ITEMS }, { url })));
      expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 429]));

      // 20 are spent: 51 no longer fit.
      const refused = await send({ query: ITEMS }, { url });
      expect(refused).toMatchObject({
        status: 429,
        body: { errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) } }] },
      });
      expect(refused.body.errors[0].message).toMatch(/have cost 20 of 70, and this one costs up to 51/);
      const bySocket = await overSocket();
      expect(bySocket).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
      const byExpress = await fetch(`${url}/graphql?query=${encodeURIComponent(ITEMS)}`);
      expect(byExpress.status).toBe(429);
      expect((await send({ query: '{ now }' }, { url })).status).toBe(200);
      const metrics = await graph.metrics();
      expect(metrics).toMatch(/graph_operation_cost_sum\{.*kind="actual".*\} 20\b/);
    } finally {
      await socket.dispose();
      await graph.stop();
    }
  });

  it('of callers without a token is possible without a budget of the others', async () => {
    const file = path.join(gateway().dataDir, 'anonymous.json');
    await writeFile(file, JSON.stringify({ cost: { anonymousBudgetPerMinute: 40 } }));
    const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
    const { url, stop } = await startOtherGraph(subgraphs, { ROUTER_FILE: file });
    try {
      expect((await send({ query: ITEMS }, { url })).status).toBe(429);
    } finally {
      await stop();
    }
  });

  it('of a minute is not refilled by a late correction of the minute before', () => {
    const spent = new MemorySpentCosts();
    spent.add('a', 1, 51);
    expect(spent.add('a', 2, 30)).toBe(30);
    spent.add('a', 1, -47);
    expect(spent.add('a', 2, 5)).toBe(35);
  });

  it('is charged once for an operation with @defer that is answered whole', async () => {
    const file = path.join(gateway().dataDir, 'once.json');
    await writeFile(file, JSON.stringify({ cost: { budgetPerMinute: 80, anonymousBudgetPerMinute: 80 } }));
    const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
    const usage = path.join(gateway().dataDir, 'once');
    const graph = await startOtherGraph(subgraphs, { ROUTER_FILE: file, USAGE_REPORT: usage });
    const { url } = graph;
    const socket = createClient({ url: url.replace('http', 'ws') + '/graphql', webSocketImpl: WebSocket });
    const query = 'query Whole { items(first: 50) { nodes { id ... @defer(if: false) { id } } } }';
    try {
      await untilNewMinute();
      // Its estimate is 51, so that a second charge would exceed the budget of 80.
      const headers = { accept: ACCEPT_PARTS['2022'] };
      for (let i = 0; i < 2; i += 1) expect((await send({ query }, { url, headers })).status).toBe(200);
      const { value } = await socket.iterate({ query }).next();
      expect(value).toMatchObject({ data: { items: {} } });
      const metrics = await graph.metrics();
      expect(metrics).toMatch(/graph_operation_cost_sum\{.*kind="actual".*\} 12\b/);
      expect(metrics).toMatch(/graph_operation_requests_total\{operation="Whole",client="unknown".*\} 3$/m);
    } finally {
      await socket.dispose();
      await graph.stop();
    }
  });
});

/** Waits for the next minute if this one ends within 5 s, so that budgets are not refilled while the test runs. */
async function untilNewMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 5_000) await new Promise((resolve) => setTimeout(resolve, left));
}
