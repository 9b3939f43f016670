import type http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { ACCEPT_PARTS, mergedParts, partsIn } from '../support/parts.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external"])';
/** Its text would add a key to an object if it were written into JSON without escapes. */
const TITLE = 'x","id":"other';
const QUERY = `{
  book { __typename id title }
  ... @defer { count ... @defer { book { pages } } }
}`;

let graph: OtherGraph;
const bodies: string[] = [];

beforeAll(async () => {
  const primaryIsRead = Promise.withResolvers<void>();
  graph = await startOtherGraph({
    books: {
      typeDefs: `${LINK} type Query { book: Book } type Book @key(fields: "id title") { id: ID! title: String! }`,
      resolvers: {
        Query: {
          book: () => {
            // Each later fetch from this subgraph fails, also that of the deferred part.
            graph.subgraph('books').instead = (_req, res) => res.writeHead(503).end();
            primaryIsRead.resolve();
            return { id: '1', title: TITLE };
          },
        },
      },
    },
    counts: {
      typeDefs: `${LINK} type Query { count: Int }`,
      resolvers: { Query: { count: () => primaryIsRead.promise.then(() => 1) } },
    },
    pages: {
      typeDefs: `${LINK} type Book @key(fields: "id title") { id: ID! @external title: String! @external pages: Int }`,
    },
  });
  graph.subgraph('pages').instead = (req, res) => void answerPages(req, res);
});
afterAll(() => graph.stop());

async function answerPages(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  bodies.push(await text(req));
  res.setHeader('content-type', 'application/json').end('{"data":{"_entities":[{"pages":7}]}}');
}

it('if the own fetch of a deferred part fails, it takes the representation from its parent, with escaped text', async () => {
  const response = await fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT_PARTS['v0.2'] },
    body: JSON.stringify({ query: QUERY }),
  });
  const { data, errors } = mergedParts(partsIn(await response.text()));
  expect(data).toMatchObject({ book: { id: '1', title: TITLE }, count: 1 });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(bodies.map((body) => JSON.parse(body).variables.representations)).toEqual([
    [{ __typename: 'Book', id: '1', title: TITLE }],
  ]);
});
