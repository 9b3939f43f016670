import { createHash } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@cost", "@listSize", "@composeDirective"]) @link(url: "https://example.test/cacheControl/v1.0", import: ["@cacheControl"]) @composeDirective(name: "@cacheControl")';
export const TYPE_DEFS = `${LINK}
  directive @cacheControl(maxAge: Int, scope: Scope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT
  enum Scope { PUBLIC PRIVATE }
  type Query {
    now: Int
    cached: Int @cacheControl(maxAge: 60)
    private: Int @cacheControl(maxAge: 60, scope: PRIVATE)
    failing: Int @cacheControl(maxAge: 60)
    items(first: Int = 10): Items @listSize(assumedSize: 50, slicingArguments: ["first"], sizedFields: ["nodes"], requireOneSlicingArgument: false)
    heavy: Int @cost(weight: 6000)
    echo(text: String!): String
  }
  type Mutation { bump: Int }
  type Items { nodes: [Item!]! }
  type Item @key(fields: "id") { id: ID! items(first: Int): Items @listSize(slicingArguments: ["first"], sizedFields: ["nodes"], requireOneSlicingArgument: false) }`;

let count = 0;
export const RESOLVERS = {
  Query: {
    now: () => (count += 1),
    cached: () => (count += 1),
    private: () => (count += 1),
    failing: () => {
      throw new Error('not now');
    },
    items: (_: unknown, { first }: { first: number }) => ({
      nodes: Array.from({ length: Math.min(first, 3) }, (__, id) => ({ id })),
    }),
    heavy: () => 1,
    echo: (_: unknown, { text }: { text: string }) => text,
  },
  Mutation: { bump: () => (count += 1) },
};
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

// oxlint-disable-next-line no-explicit-any -- the expectations check its shape
export type Answered = any;

/** A gateway over one subgraph `things`, for the tests of a file. `send` sends a body to it, or to the gateway at `url`. */
export function thingsGateway() {
  let graph: OtherGraph;
  beforeAll(async () => {
    graph = await startOtherGraph({ things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } });
  });
  afterAll(() => graph.stop());
  const send = async (
    body: unknown,
    { headers = {}, url = graph.url }: { headers?: Record<string, string>; url?: string } = {},
  ): Promise<{ status: number; headers: Headers; body: Answered }> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  return { gateway: () => graph, send };
}
