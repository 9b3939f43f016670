import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph(
    { some: { typeDefs: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } } } },
    { RATE_LIMITS: 'on' },
  );
});
afterAll(() => graph.stop());

const send = (body: unknown, address: string): Promise<Response> =>
  fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  });
const batchOf = (length: number) => Array.from({ length }, () => ({ query: '{ a }' }));
const remaining = (answer: Response): number =>
  Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);

it('the rate limit counts every operation of a batch', async () => {
  const first = remaining(await send({ query: '{ a }' }, '203.0.113.1'));
  expect(remaining(await send(batchOf(10), '203.0.113.1'))).toBe(first - 10);
  expect(remaining(await send({ query: '{ a }' }, '203.0.113.1'))).toBe(first - 11);
});

it('the rate limit refuses a batch with more operations than are left', async () => {
  const answers = [];
  for (let batch = 0; batch < 60; batch += 1) answers.push((await send(batchOf(10), '203.0.113.2')).status);
  expect(new Set(answers)).toEqual(new Set([200]));
  const late = await send(batchOf(2), '203.0.113.2');
  expect(late.status).toBe(429);
  expect(await late.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
});
