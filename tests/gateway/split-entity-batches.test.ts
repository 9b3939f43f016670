import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@listSize"])';
const COUNT = 2_500;
/** The most entities of one request. */
const MOST = 1_000;

let graph: OtherGraph;
let largest = 0;
beforeAll(async () => {
  graph = await startOtherGraph(
    {
      people: {
        typeDefs: `${LINK} type Query { people: [Person] @listSize(assumedSize: ${COUNT}) } type Person @key(fields: "id") { id: ID! }`,
        resolvers: {
          Query: { people: () => Array.from({ length: COUNT }, (_, id) => ({ id: String(id) })) },
        },
      },
      visits: {
        typeDefs: `${LINK} type Query { doors: Int } type Person @key(fields: "id") { id: ID! visits: Int }`,
        resolvers: {
          Person: {
            __resolveReference: ({ id }: { id: string }) => ({ id }),
            visits: ({ id }: { id: string }) => {
              largest = Math.max(largest, Number(id));
              if (id === '1500') throw new Error('not this one');
              return Number(id);
            },
          },
        },
      },
    },
    { COST_LIMIT: '10000' },
  );
});
afterAll(() => graph.stop());

it('a batch of more entities than a service accepts is sent in parts, and the answers are combined', async () => {
  const before = graph.subgraph('visits').requests;
  const { status, body } = await graph.ask('{ people { id visits } }');
  expect(status).toBe(200);
  expect(graph.subgraph('visits').requests - before).toBe(Math.ceil(COUNT / MOST));
  expect(body.data.people).toHaveLength(COUNT);
  expect(largest).toBe(COUNT - 1);
  for (const { id, visits } of body.data.people as { id: string; visits: number | null }[])
    expect(visits).toBe(id === '1500' ? null : Number(id));
  expect(body.errors).toMatchObject([{ path: ['people', 1_500, 'visits'] }]);
});

it('if a part fails, only its own entities lack the fetched fields', async () => {
  let parts = 0;
  graph.subgraph('visits').instead = (req, res) => {
    let text = '';
    req.on('data', (chunk) => (text += String(chunk)));
    req.on('end', () => {
      parts += 1;
      const { representations } = JSON.parse(text).variables as { representations: { id: string }[] };
      if (representations[0]?.id === '1000') res.writeHead(500).end();
      else
        res.setHeader('content-type', 'application/json').end(
          JSON.stringify({
            data: {
              _entities: representations.map(({ id }) => ({ __typename: 'Person', visits: Number(id) })),
            },
          }),
        );
    });
  };
  const { status, body } = await graph.ask('{ people { visits id } }');
  expect(status).toBe(200);
  expect(parts).toBe(3);
  const values = (body.data.people as { visits: number | null }[]).map(({ visits }) => visits);
  expect(values.slice(0, 1_000)).not.toContain(null);
  expect(values.slice(1_000, 2_000).every((visits) => visits === null)).toBe(true);
  expect(values.slice(2_000)).not.toContain(null);
  expect(body.errors).toHaveLength(1);
});
