import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, printSchema, type IntrospectionQuery } from 'graphql';
import { contractSdl } from '../../gateway/supergraph/contract.ts';
import { loadGraph } from '../../gateway/supergraph/load-graph.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@tag", "@shareable", "@external", "@requires"])';
const GYMS = `${LINK}
  type Query {
    gyms: [Gym] @tag(name: "public")
    level(is: Level): Level @tag(name: "public")
    find(input: Find): Thing @tag(name: "public")
    secrets: [Secret]
  }
  type Mutation { open(id: ID): Gym }
  type Subscription { opened: Gym }
  interface Thing { id: ID! }
  type Gym implements Thing @key(fields: "id") { id: ID! name: String staff: [Person] @tag(name: "private") score: Int }
  type Person implements Thing @tag(name: "private") { id: ID! salary: Int }
  type Secret { code: String }
  enum Level { LOW HIGH HIDDEN @tag(name: "private") }
  input Find { id: ID name: String @tag(name: "private") }`;
const SCORES = `${LINK}
  type Gym @key(fields: "id") { id: ID! stars: Int hidden: Int @tag(name: "private") }`;

const gym = { __typename: 'Gym', id: '1', name: 'Iron', score: 4, staff: [{ id: 'p', salary: 1 }] };
let opened = 0;
const SUBGRAPHS = {
  gyms: {
    typeDefs: GYMS,
    resolvers: {
      Query: {
        gyms: () => [gym],
        level: (_: unknown, args: { is?: string }) => args.is ?? 'HIDDEN',
        find: () => ({ __typename: 'Person', id: 'p' }),
        secrets: () => [{ code: 'x' }],
      },
      Mutation: {
        open: () => {
          opened += 1;
          return gym;
        },
      },
    },
  },
  scores: {
    typeDefs: SCORES,
    resolvers: { Gym: { __resolveReference: ({ id }: { id: string }) => ({ id, stars: 5, hidden: 6 }) } },
  },
};

describe('a contract', () => {
  let graph: OtherGraph;
  let folder: string;
  const rules = async (contracts: object[]) => {
    const file = path.join(folder, `rules-${Math.random()}.json`);
    await writeFile(file, JSON.stringify({ contracts }));
    return file;
  };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'contracts-'));
    const file = await rules([
      { name: 'public', include: ['public'], exclude: ['private'] },
      { name: 'almost', exclude: ['private'] },
    ]);
    graph = await startOtherGraph(SUBGRAPHS, { ROUTER_FILE: file });
  });
  afterAll(() => graph.stop());

  const ask = async (contract: string, query: string, variables: object = {}, accept = '*/*') => {
    const response = await fetch(`${graph.url}/graphql/${contract}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, body: await response.json() };
  };

  it('shows its own part of the schema only', async () => {
    const { body } = await ask('public', getIntrospectionQuery());
    const schema = printSchema(buildClientSchema((body as { data: IntrospectionQuery }).data));
    expect(schema).toContain('stars: Int');
    expect(schema).toContain('LOW');
    for (const leftOut of [
      'Secret',
      'Person',
      'staff',
      'hidden',
      'HIDDEN',
      'Mutation',
      'name: String\n}\n\ninput',
    ])
      expect(schema).not.toContain(leftOut);
    expect(schema).toMatch(/input Find \{\n {2}id: ID\n\}/);
    const almost = printSchema(
      buildClientSchema(
        ((await ask('almost', getIntrospectionQuery())).body as { data: IntrospectionQuery }).data,
      ),
    );
    expect(almost).toContain('secrets');
    expect(almost).not.toContain('Person');
  });

  it('answers an operation over several services, and the full graph still has all its fields', async () => {
    for (let i = 0; i < 2; i += 1)
      expect((await ask('public', '{ gyms { id name stars score } }')).body).toEqual({
        data: { gyms: [{ id: '1', name: 'Iron', stars: 5, score: 4 }] },
      });
    expect((await graph.ask('{ gyms { staff { salary } hidden } secrets { code } }')).body).toEqual({
      data: { gyms: [{ staff: [{ salary: 1 }], hidden: 6 }], secrets: [{ code: 'x' }] },
    });
  });

  it.each([
    ['a field', '{ gyms { hidden } }', {}],
    ['a root field', '{ secrets { code } }', {}],
    ['a mutation', 'mutation { open { id } }', {}],
    ['a type', '{ find { ... on Person { id } } }', {}],
    ['a value', '{ level(is: HIDDEN) }', {}],
    ['a value in a variable', 'query ($is: Level) { level(is: $is) }', { is: 'HIDDEN' }],
    ['a field of an input', 'query ($input: Find) { find(input: $input) { id } }', { input: { name: 'a' } }],
  ])('refuses %s that it leaves out', async (_what, query, variables) => {
    const { status, body } = await ask('public', query, variables);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{}] });
    expect(body).not.toHaveProperty('data.gyms');
  });

  it('answers null if a service returns an enum value or a type that the contract leaves out', async () => {
    const level = await ask('public', '{ level }');
    expect(level.body).toMatchObject({ data: { level: null } });
    expect(JSON.stringify(level.body)).not.toContain('HIDDEN');
    const thing = await ask('public', '{ find { __typename id } }');
    expect(thing.body).toMatchObject({ data: { find: null } });
    expect(JSON.stringify(thing.body)).not.toContain('Person');
  });

  it.each(['text/event-stream', 'multipart/mixed', 'multipart/mixed;subscriptionSpec=1.0'])(
    'runs nothing for a client that accepts %s only, because a contract has no streams',
    async (accept) => {
      const before = opened;
      const { status, body } = await ask('almost', 'mutation { open { id } }', {}, accept);
      expect({ status, body, opened }).toMatchObject({
        status: 406,
        body: { errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] },
        opened: before,
      });
      expect(JSON.stringify(body)).not.toContain('stream');
    },
  );

  it('refuses a subscription, and says that it has none', async () => {
    for (const accept of ['application/json', 'application/json, text/event-stream'])
      expect(await ask('almost', 'subscription { opened { id } }', {}, accept)).toMatchObject({
        status: 400,
        body: { errors: [{ message: expect.stringMatching(/contract has no subscriptions/) }] },
      });
  });

  it.each(['none', 'public/more', 'publ'])(
    'is not found at /graphql/%s, because no contract has this name',
    async (name) => {
      for (const method of ['POST', 'GET']) {
        const response = await fetch(`${graph.url}/graphql/${name}?query={secrets{code}}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(method === 'POST' && { body: '{"query":"{ secrets { code } }"}' }),
        });
        expect({ method, status: response.status, body: await response.json() }).toMatchObject({
          method,
          status: 404,
          body: { code: 'NOT_FOUND' },
        });
      }
    },
  );

  it('is refused at the start if it leaves out every field of Query', async () => {
    const file = await rules([{ name: 'empty', include: ['nothing'] }]);
    await expect(
      startOtherGraph(SUBGRAPHS, { ROUTER_FILE: file, SUPERGRAPH: graph.supergraphFile }),
    ).rejects.toThrow(/the contract "empty" is no valid graph: .*"Query" is @inaccessible/s);
  });
});

it('the public contract of the platform contains no personal types, such as Training and FoodLog', async () => {
  const sdl = await readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
  const contract = contractSdl(sdl, { name: 'public', include: ['public'], exclude: ['private'] });
  const { apiSchema } = loadGraph(contract, (name, url) => ({
    name,
    url,
    send: () => Promise.reject(new Error('not needed')),
    close: async () => undefined,
  }));
  const types = Object.keys(apiSchema.getTypeMap());
  expect(types).toEqual(
    expect.arrayContaining(['Gym', 'Location', 'ClassSession', 'Webhook', 'WorkoutRoutine', 'User']),
  );
  for (const name of ['Training', 'NutritionDay', 'FoodLog', 'SquadSession', 'WizardSession', 'Post'])
    expect(types).not.toContain(name);
  expect(Object.keys(apiSchema.getQueryType()?.getFields() ?? {})).not.toContain('me');
});
