import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryPlan } from '@apollo/query-planner';
import { getOperationAST, parse, type OperationDefinitionNode } from 'graphql';
import { Stage } from '../../gateway/defer/stage.ts';
import { ExecutionContext } from '../../gateway/execution/execution-context.ts';
import { compileDeferrable } from '../../gateway/plan/compile-plan.ts';
import { ACCEPT_PARTS, mergedParts, partsIn } from '../support/parts.ts';
import { DeferredAndWhole } from '../support/graph-doubles/deferred-and-whole.ts';
import { HARD_SDLS } from '../support/graph-doubles/hard-graph.ts';
import { startOtherGraph, type OtherGraph, type OtherSubgraph } from '../support/other-graph.ts';

// The planner makes a wrong plan, or none, for the operations of this file. They must get the right answer, or be
// refused with a clear reason.

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@requires", "@external", "@shareable", "@interfaceObject"])';

/** Starts a gateway over these subgraphs for the tests of a `describe`. `edited` changes the composed supergraph. */
function serving(
  subgraphs: Record<string, OtherSubgraph>,
  edited?: (supergraphSdl: string) => string,
): { ask: OtherGraph['ask'] } {
  let graph: OtherGraph;
  beforeAll(async () => {
    graph = await startOtherGraph(subgraphs, {}, edited);
  });
  afterAll(() => graph.stop());
  return { ask: (query, variables) => graph.ask(query, variables) };
}

const refused = (message: RegExp) => ({
  status: 400,
  body: {
    errors: [{ message: expect.stringMatching(message), extensions: { code: 'VALIDATION_FAILED' } }],
  },
});

/** Halls have rooms; a room's sign is made of its name, which another subgraph has. */
const roomsWith = (keys: string): Record<string, OtherSubgraph> => {
  const room = (number: string) => ({ id: `r${number}`, code: { building: 'b', floor: 'f', number } });
  return {
    rooms: {
      typeDefs: `${LINK} type Query { hall: Hall } type Hall { rooms: [Room!]! }
        type Room ${keys} { id: ID! @shareable code: Code! @shareable name: String! @external sign: String! @requires(fields: "name") }
        type Code @shareable { building: ID! floor: ID! number: ID! }`,
      resolvers: {
        Query: { hall: () => ({ rooms: [room('1'), room('2')] }) },
        Room: {
          __resolveReference: (given: { id?: string; code?: { number?: string } }) => {
            if (given.id === undefined || given.code?.number === undefined)
              throw new Error('not by this key');
            return given;
          },
          sign: ({ name }: { name: string }) => `[${name}]`,
        },
      },
    },
    names: {
      typeDefs: `${LINK} type Room @key(fields: "id") { id: ID! code: Code! @shareable name: String! }
        type Code @shareable { building: ID! floor: ID! number: ID! }`,
      resolvers: {
        Room: {
          __resolveReference: ({ id }: { id: string }) => ({ id, name: `room ${id}` }),
        },
      },
    },
  };
};

describe('a field that requires a field of another subgraph', () => {
  const { ask } = serving(
    roomsWith(
      '@key(fields: "code { building floor }", resolvable: false) @key(fields: "id code { floor number }") @key(fields: "id", resolvable: false)',
    ),
  );

  it('is fetched by a key that its subgraph resolves, although another one is declared first', async () => {
    expect((await ask('{ hall { rooms { id name sign } } }')).body).toEqual({
      data: {
        hall: {
          rooms: [
            { id: 'r1', name: 'room r1', sign: '[room r1]' },
            { id: 'r2', name: 'room r2', sign: '[room r2]' },
          ],
        },
      },
    });
  });
});

describe('a field that requires a field of another subgraph, if no key lets the subgraph of the field resolve the type', () => {
  // Apollo's composition refuses such a subgraph; a file from elsewhere may have one.
  const { ask } = serving(roomsWith('@key(fields: "id code { floor number }")'), (sdl) =>
    sdl.replace('key: "id code { floor number }"', 'key: "id code { floor number }", resolvable: false'),
  );

  it('is refused', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await ask('{ hall { rooms { id sign } } }')).toMatchObject(
        refused(/"rooms" resolves Room by none/),
      );
  });

  it('does not prevent operations without it', async () => {
    expect((await ask('{ hall { rooms { name } } }')).body).toEqual({
      data: { hall: { rooms: [{ name: 'room r1' }, { name: 'room r2' }] } },
    });
  });
});

describe('an interface object that its subgraph does not resolve', () => {
  const { ask } = serving(
    {
      lists: {
        typeDefs: `${LINK} type Query { first: Piece } interface Piece @key(fields: "id") { id: ID! } type Poem implements Piece @key(fields: "id") { id: ID! }`,
        resolvers: {
          Query: { first: () => ({ __typename: 'Poem', id: 'p1' }) },
          Piece: { __resolveReference: ({ id }: { id: string }) => ({ __typename: 'Poem', id }) },
        },
      },
      marks: {
        typeDefs: `${LINK} type Query { best: Piece } type Piece @interfaceObject @key(fields: "id") { id: ID! mark: Int }`,
        resolvers: { Query: { best: () => ({ id: 'p1', mark: 5 }) } },
      },
    },
    (sdl) =>
      sdl.replace(
        'key: "id", isInterfaceObject: true',
        'key: "id", resolvable: false, isInterfaceObject: true',
      ),
  );

  it('gets its fields from the subgraph that returned it, and its type name from the other one', async () => {
    expect((await ask('{ best { __typename id mark } }')).body).toEqual({
      data: { best: { __typename: 'Poem', id: 'p1', mark: 5 } },
    });
  });

  it('has no fields of this subgraph if the other one returned it: the operation is refused', async () => {
    expect(await ask('{ first { id mark } best { id } }')).toMatchObject(
      refused(/no subgraph with this field resolves its object/),
    );
    expect((await ask('{ first { id } }')).body).toEqual({ data: { first: { id: 'p1' } } });
  });
});

describe('`__typename`, selected beside a field of an interface object', () => {
  const { ask } = serving({
    lists: {
      typeDefs: `${LINK} type Query { pieces: [Piece] } interface Piece @key(fields: "id") { id: ID! } type Poem implements Piece @key(fields: "id") { id: ID! lines: Int } type Song implements Piece @key(fields: "id") { id: ID! }`,
      resolvers: {
        Query: {
          pieces: () => [
            { __typename: 'Poem', id: 'p1', lines: 4 },
            { __typename: 'Song', id: 's1' },
          ],
        },
        Piece: { __resolveReference: ({ id }: { id: string }) => ({ __typename: 'Poem', id }) },
      },
    },
    marks: {
      typeDefs: `${LINK} type Piece @interfaceObject @key(fields: "id") { id: ID! mark: Int }`,
      resolvers: { Piece: { __resolveReference: ({ id }: { id: string }) => ({ id, mark: id.length }) } },
    },
  });

  it.each([
    '{ pieces { id ... on Poem { mark __typename } ... on Song { __typename } } }',
    '{ pieces { id ... on Poem { ...Marked } ...Named } } fragment Marked on Poem { mark __typename } fragment Named on Piece { __typename }',
    '{ pieces { __typename id ... on Poem { mark __typename lines } } }',
  ])("is the object's concrete type: %s", async (query) => {
    const { body } = await ask(query);
    expect(body.errors).toBeUndefined();
    expect(body.data.pieces).toMatchObject([
      { id: 'p1', __typename: 'Poem', mark: 2 },
      { id: 's1', __typename: 'Song' },
    ]);
  });
});

describe('a field with @skip or @include that requires a field of another subgraph', () => {
  const { ask } = serving({
    people: {
      typeDefs: `${LINK} type Query { people: [Person!]! } type Person @key(fields: "id") { id: ID! town: String street: Street } type Street { name: String number: Int }`,
      resolvers: {
        Query: { people: () => [{ id: 'p1', town: 'Rome', street: { name: 'Via', number: 7 } }] },
        Person: { __resolveReference: ({ id }: { id: string }) => ({ id }) },
      },
    },
    weather: {
      typeDefs: `${LINK} type Person @key(fields: "id") { id: ID! town: String @external street: Street @external mood: String rain: String @requires(fields: "town") wind: String @requires(fields: "street { name }") house: String @requires(fields: "street { number }") }
        type Street @external { name: String number: Int }`,
      resolvers: {
        Person: {
          __resolveReference: (given: object) => given,
          mood: ({ id }: { id: string }) => `mood of ${id}`,
          rain: ({ town }: { town?: string }) => `rain in ${town}`,
          wind: ({ street }: { street?: { name?: string } }) => `wind in ${street?.name}`,
          house: ({ street }: { street?: { number?: number } }) => `house ${street?.number}`,
        },
      },
    },
  });
  const all = {
    mood: 'mood of p1',
    rain: 'rain in Rome',
    wind: 'wind in Via',
    house: 'house 7',
  };
  const QUERIES = [
    'query ($a: Boolean!, $b: Boolean!) { people { mood rain @include(if: $a) wind @skip(if: $b) house @include(if: $a) } }',
    'query ($a: Boolean!, $b: Boolean!) { people { mood ... @include(if: $a) { rain house } ...Windy @skip(if: $b) } } fragment Windy on Person { wind }',
    'query ($a: Boolean!, $b: Boolean!) { people { mood rain @include(if: $a) @skip(if: false) ... on Person { wind @skip(if: $b) } house @include(if: $a) } }',
  ];

  it.each(QUERIES.flatMap((query) => [0, 1, 2, 3].map((bits) => [bits, query] as const)))(
    'is in the answer only if its conditions say so, and the fields beside it have their values: case %i of %s',
    async (bits, query) => {
      const [a, b] = [(bits & 1) === 1, (bits & 2) === 2];
      const { mood, rain, wind, house } = all;
      const expected = { mood, ...(a && { rain, house }), ...(!b && { wind }) };
      for (let time = 0; time < 2; time += 1)
        expect((await ask(query, { a, b })).body).toEqual({ data: { people: [expected] } });
    },
  );
});

describe('an object whose fields all have a condition', () => {
  const { ask } = serving({
    halls: {
      typeDefs: `${LINK} type Query { hall: Hall! noise: Int } type Hall { name: String door: Door! } type Door { width: Int }`,
      resolvers: { Query: { hall: () => ({ name: 'North', door: { width: 9 } }), noise: () => 3 } },
    },
  });

  it.each([
    'query ($show: Boolean!, $no: Boolean!) { hall @skip(if: $no) { name @include(if: $show) } }',
    'query ($show: Boolean!, $no: Boolean!) { hall @skip(if: $no) { ... on Hall { ...Named } } } fragment Named on Hall { name @include(if: $show) }',
    'query ($show: Boolean!, $no: Boolean!) { hall @skip(if: $no) { ... @include(if: $show) { name } door @skip(if: true) { width } } }',
  ])('is empty if no condition holds: %s', async (query) => {
    const answer = async (variables: object) => (await ask(query, variables)).body;
    expect(await answer({ show: false, no: false })).toEqual({ data: { hall: {} } });
    expect(await answer({ show: true, no: false })).toEqual({ data: { hall: { name: 'North' } } });
    expect(await answer({ show: true, no: true })).toEqual({ data: {} });
  });

  it('is also empty inside of another one, and at the root', async () => {
    expect(
      (
        await ask(
          'query ($show: Boolean!) { hall { door @include(if: true) { width @include(if: $show) } } }',
          {
            show: false,
          },
        )
      ).body,
    ).toEqual({ data: { hall: { door: {} } } });
    expect((await ask('{ noise @skip(if: true) }')).body).toEqual({ data: {} });
  });
});

describe('operations with @defer', () => {
  let graph: OtherGraph;
  beforeAll(async () => {
    const person = `type Person @key(fields: "id") { id: ID!`;
    const resolved = { __resolveReference: (given: object) => given };
    graph = await startOtherGraph({
      people: {
        typeDefs: `${LINK} type Query { people: [Person!] } ${person} name: String }`,
        resolvers: { Person: resolved },
      },
      rooms: {
        typeDefs: `${LINK} type Query { room: Room broken: Room } type Room { number: Int } ${person} seat: Int }`,
        resolvers: {
          Query: {
            room: () => ({ number: 7 }),
            broken: () => {
              throw new Error('broken');
            },
          },
          Person: resolved,
        },
      },
    });
  });
  afterAll(() => graph.stop());

  const inParts = async (query: string) => {
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT_PARTS['v0.2'] },
      body: JSON.stringify({ query }),
    });
    return mergedParts(partsIn(await response.text()));
  };

  it('have parts that wait for all fetches with the id on which they depend, because the planner may give several the same one', async () => {
    const document = parse('{ anything }');
    const fetchOf = (serviceName: string) => ({ kind: 'Fetch', serviceName, id: '0', operation: '{ a }' });
    const part = { depends: [{ id: '0' }], label: '0', queryPath: [] };
    const primary = { node: { kind: 'Sequence', nodes: [fetchOf('catalog'), fetchOf('people')] } };
    const { parts } = compileDeferrable({
      graph: new DeferredAndWhole(HARD_SDLS).loaded,
      document,
      operation: getOperationAST(document) as OperationDefinitionNode,
      // The cast: the plan has only the properties that `compileDeferrable` reads.
      plan: { kind: 'QueryPlan', node: { kind: 'Defer', primary, deferred: [part] } } as unknown as QueryPlan,
    });
    const happened: string[] = [];
    const { depends = [] } = parts[0] ?? {};
    const stage = new Stage({
      primary: {
        run: async ({ onFetched }) => {
          for (const fetch of ['first', 'second']) {
            happened.push(fetch);
            onFetched?.('0');
          }
        },
      },
      parts: [{ label: '0', depends, primary: { run: async () => void happened.push('part') }, parts: [] }],
    });
    // The cast: the steps of this plan read nothing of the request.
    stage.begin(new ExecutionContext({ variables: {} } as never));
    await stage.complete;
    expect(happened).toEqual(['first', 'second', 'part']);
  });

  it('do not fetch what is never selected', async () => {
    const merged = await inParts(
      'query ($no: Boolean! = false) { ... @skip(if: $no) { ... @defer { room { number } } ... @defer { ... @defer { broken @skip(if: true) { number } } } broken @skip(if: true) { number } } }',
    );
    expect(merged).toEqual({ data: { room: { number: 7 } }, nulls: [] });
  });
});

describe('fields that require one field with different arguments', () => {
  const { ask } = serving({
    goods: {
      typeDefs: `${LINK} type Query { parcels: [Parcel!]! } type Parcel @key(fields: "id") { id: ID! price(in: String!): Int }`,
      resolvers: {
        Query: { parcels: () => [{ id: 'a' }] },
        Parcel: {
          __resolveReference: ({ id }: { id: string }) => ({ id }),
          price: (_: unknown, { in: unit }: { in: string }) => (unit === 'EUR' ? 100 : 110),
        },
      },
    },
    postage: {
      typeDefs: `${LINK} type Parcel @key(fields: "id") { id: ID! price(in: String!): Int @external euros: Int @requires(fields: "price(in: \\"EUR\\")") dollars: Int @requires(fields: "price(in: \\"USD\\")") }`,
      resolvers: {
        Parcel: {
          __resolveReference: (given: object) => given,
          euros: ({ price }: { price: number }) => price * 2,
          dollars: ({ price }: { price: number }) => price * 2,
        },
      },
    },
  });

  it('are refused in one operation, and answered in separate ones', async () => {
    expect(await ask('{ parcels { euros dollars } }')).toMatchObject(refused(/alias/));
    expect((await ask('{ parcels { euros } }')).body).toEqual({ data: { parcels: [{ euros: 200 }] } });
    expect((await ask('{ parcels { dollars } }')).body).toEqual({ data: { parcels: [{ dollars: 220 }] } });
  });

  it.each([
    ['a literal', '{ parcels { price(in: "USD") euros } }'],
    ['a variable', 'query ($in: String = "USD") { parcels { euros price(in: $in) } }'],
    [
      'fragments',
      'query ($in: String = "USD") { parcels { euros ...One ...Two } } fragment One on Parcel { price(in: $in) } fragment Two on Parcel { price(in: $in) }',
    ],
  ])(
    'are refused if the operation also selects the required field with other arguments: %s',
    async (_how, query) => {
      expect(await ask(query)).toMatchObject(refused(/alias/));
    },
  );

  it('are answered if the operation selects the required field with other arguments under an alias', async () => {
    expect((await ask('{ parcels { other: price(in: "USD") euros } }')).body).toEqual({
      data: { parcels: [{ other: 110, euros: 200 }] },
    });
  });
});
