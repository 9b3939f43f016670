import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    days: {
      typeDefs: 'scalar Date scalar DateTime type Query { at(day: Date, time: DateTime): String }',
      resolvers: {
        Query: {
          at: (_root: unknown, { day, time }: Record<string, unknown>) => `${String(day)} ${String(time)}`,
        },
      },
    },
  });
});
afterAll(() => graph.stop());

it('scalars of another supergraph that are named Date and DateTime accept what its services accept', async () => {
  const literals = await graph.ask('{ at(day: 1700000000, time: "2024-01-01 10:00") }');
  expect(literals.body).toEqual({ data: { at: '1700000000 2024-01-01 10:00' } });
  const query = 'query ($day: Date, $time: DateTime) { at(day: $day, time: $time) }';
  const variables = await graph.ask(query, { day: '01/02/2024', time: 5 });
  expect(variables.body).toEqual({ data: { at: '01/02/2024 5' } });
});
