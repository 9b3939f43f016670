import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires", "@composeDirective"])';
const CACHE_LINK =
  '@link(url: "https://example.test/cacheControl/v1.0", import: ["@cacheControl"]) @composeDirective(name: "@cacheControl")';
const POSTS = `${LINK} ${CACHE_LINK}
  directive @cacheControl(maxAge: Int, scope: Scope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT
  enum Scope { PUBLIC PRIVATE }
  interface Thing { id: ID! }
  type Query { post: Post must: Int! count: Int @cacheControl(maxAge: 60) thing: Thing }
  type Post implements Thing @key(fields: "id") { id: ID! comments(limit: Int!): [String] size: Int words: [Int!] }`;
const FEED = `${LINK}
  type Post @key(fields: "id") { id: ID! comments(limit: Int!): [String] @external top: String @requires(fields: "comments(limit: 3)") rank: Int! }`;

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    posts: {
      typeDefs: POSTS,
      resolvers: {
        Query: { post: () => ({ id: '1' }) },
        Post: {
          comments: (_post: unknown, { limit }: { limit: number }) => ['a', 'b', 'c', 'd'].slice(0, limit),
        },
      },
    },
    feed: {
      typeDefs: FEED,
      resolvers: {
        Post: { __resolveReference: ({ comments }: { comments: string[] }) => ({ top: comments.join('') }) },
      },
    },
  });
});
afterAll(() => graph.stop());
beforeEach(() => {
  graph.subgraph('posts').instead = undefined;
});

const answers = (data: unknown): void => {
  graph.subgraph('posts').instead = (_req, res) => void res.end(JSON.stringify({ data }));
};

describe('a value that the schema of its service does not allow', () => {
  it.each([
    ['null for a non-null field', '{ must }', { must: null }, null, undefined, 500],
    ['another type of value', '{ count }', { count: 'many' }, { count: null }, ['count'], 200],
    [
      'one wrong element of a list',
      '{ post { id words } count }',
      { post: { id: '1', words: [1, 'x'] }, count: 2 },
      { post: { id: '1', words: null }, count: 2 },
      ['post', 'words'],
      200,
    ],
    [
      'a text instead of an object, beside valid values',
      '{ post { id size } count }',
      { post: 'none', count: 2 },
      { post: null, count: 2 },
      ['post'],
      200,
    ],
    [
      'the name of an interface as a type',
      '{ thing { __typename id } count }',
      { thing: { __typename: 'Thing', id: '1' }, count: 1 },
      { thing: null, count: 1 },
      ['thing'],
      200,
    ],
  ])(
    'is null up to a nullable field, with an error: %s',
    async (_what, query, data, expected, path, status) => {
      answers(data);
      for (let time = 0; time < 3; time += 1) {
        const answer = await graph.ask(query);
        expect(answer.status).toBe(status);
        expect(answer.body.data).toEqual(expected);
        expect(answer.body.errors).toMatchObject([
          { ...(path && { path }), extensions: { code: 'INTERNAL' } },
        ]);
      }
    },
  );

  it('is not cached', async () => {
    answers({ count: 'many' });
    expect((await graph.ask('query Cached { count }')).body.data).toEqual({ count: null });
    answers({ count: 7 });
    expect((await graph.ask('query Cached { count }')).body).toEqual({ data: { count: 7 } });
  });
});

describe('an entity that does not exist at a service', () => {
  it('is null without an error', async () => {
    const { instead } = graph.subgraph('feed');
    graph.subgraph('feed').instead = (_req, res) => void res.end('{"data":{"_entities":[null]}}');
    for (let time = 0; time < 3; time += 1)
      expect(await graph.ask('{ post { id rank } thing { id } }')).toMatchObject({
        status: 200,
        body: { data: { post: null, thing: null } },
      });
    expect((await graph.ask('{ post { id rank } }')).body).not.toHaveProperty('errors');
    graph.subgraph('feed').instead = instead;
  });
});

describe('a field that requires another one with arguments', () => {
  it.each([
    ['alone', '{ post { top } }', { top: 'abc' }],
    [
      'beside the other field under an alias',
      '{ post { few: comments(limit: 1) top } }',
      { few: ['a'], top: 'abc' },
    ],
    [
      'beside the other field with equal arguments',
      '{ post { comments(limit: 3) top } }',
      { comments: ['a', 'b', 'c'], top: 'abc' },
    ],
  ])('gets the value of the required field: %s', async (_how, query, post) => {
    expect((await graph.ask(query)).body).toEqual({ data: { post } });
  });

  it('is refused beside that field with other arguments, because the planner would merge the two', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await graph.ask('{ post { comments(limit: 1) top } }')).toMatchObject({
        status: 400,
        body: {
          errors: [{ message: expect.stringContaining('alias'), extensions: { code: 'VALIDATION_FAILED' } }],
        },
      });
  });
});
