import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getOperationAST, Kind, parse, print, type FieldNode } from 'graphql';
import { withoutFields } from '../../gateway/authorization/permitted-document.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const link = (...names: string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${['@key', '@external', '@requires', '@authenticated', '@requiresScopes', '@policy', ...names].map((name) => `"${name}"`).join(', ')}])`;

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    people: {
      typeDefs: `${link()}
        type Query { person: Person people: [Person] pets: [Pet] things: [Thing] vault: Vault open: Int strict: Strict }
        type Mutation { erase: Int @requiresScopes(scopes: [["SUPER_ADMIN"]]) rename: Int }
        type Person @key(fields: "id") { id: ID! name: String email: String @authenticated friends: [Person!] }
        interface Pet { name: String }
        type Dog implements Pet { name: String @policy(policies: [["admin"]]) bark: String }
        type Cat implements Pet { name: String lives: Int }
        union Thing = Dog | Cat
        type Vault @requiresScopes(scopes: [["SUPER_ADMIN"], ["GYM_ADMIN", "SERVICE"]]) { code: String }
        type Strict { inner: StrictInner } type StrictInner { secret: String! @authenticated }`,
      resolvers: {
        Query: {
          person: () => ANN,
          people: () => [ANN, BOB],
          pets: () => [
            { __typename: 'Dog', name: 'Rex' },
            { __typename: 'Cat', name: 'Tom' },
          ],
          things: () => [
            { __typename: 'Dog', name: 'Rex', bark: 'wuff' },
            { __typename: 'Cat', name: 'Tom', lives: 9 },
          ],
          vault: () => ({ code: '1234' }),
          open: () => 1,
          strict: () => ({ inner: { secret: 'psst' } }),
        },
        Mutation: { erase: () => (erased += 1), rename: () => 1 },
        Person: { __resolveReference: ({ id }: { id: string }) => [ANN, BOB].find((one) => one.id === id) },
      },
    },
    letters: {
      typeDefs: `${link()}
        type Person @key(fields: "id") { id: ID! email: String @external greeting: String @requires(fields: "email") @authenticated plain: String @requires(fields: "name") name: String @external }
        type Query { letters: Int }`,
      resolvers: {
        Person: {
          __resolveReference: (reference: object) => reference,
          plain: ({ name }: { name: string }) => `Hello ${name}`,
          greeting: ({ email }: { email: string }) => `Dear ${email}`,
        },
      },
    },
  });
});
afterAll(() => graph.stop());

const ANN = {
  id: '1',
  name: 'Ann',
  email: 'ann@example.test',
  friends: [{ id: '2', name: 'Bob', email: 'bob@example.test' }],
};
const BOB = { id: '2', name: 'Bob', email: 'bob@example.test', friends: [] };
let erased = 0;

/** Sends a query without a token, so that every protected field is refused: first through Express, then on the fast path. */
const ask = async (query: string, variables = {}) => {
  const first = await graph.ask(query, variables);
  const second = await graph.ask(query, variables);
  expect(second.body).toEqual(first.body);
  return first.body;
};
const refused = (...paths: (string | number)[][]) =>
  paths.map((path) => ({ path, extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }));

describe('protected fields', () => {
  it('are null with one error for each path, and without errors for the fields below', async () => {
    expect(await ask('{ person { name email friends { name email } } people { email } }')).toMatchObject({
      data: {
        person: { name: 'Ann', email: null, friends: [{ name: 'Bob', email: null }] },
        people: [{ email: null }, { email: null }],
      },
      errors: refused(['person', 'email'], ['person', 'friends', 'email'], ['people', 'email']),
    });
    expect(await ask('{ vault { code } open }')).toMatchObject({
      data: { vault: null, open: 1 },
      errors: refused(['vault']),
    });
  });

  it('are refused under an alias, in a fragment and with a condition, too', async () => {
    for (const query of [
      '{ person { name: email } }',
      '{ person { ...F } } fragment F on Person { e: email name }',
      '{ person { ... on Person { ... { e: email } name } } }',
      '{ person { name ...F @include(if: true) } } fragment F on Person { e: email @skip(if: false) }',
      '{ a: person { name } b: person { e: email name } a: person { email } }',
    ]) {
      const body = await ask(query);
      expect(JSON.stringify(body)).not.toContain('example.test');
      expect(body.errors[0].extensions.code).toBe('UNAUTHORIZED_FIELD_OR_TYPE');
    }
  });

  it('of an object type are refused if an operation selects them on an interface or within a union', async () => {
    expect(await ask('{ pets { name } }')).toMatchObject({
      data: { pets: [{ name: null }, { name: null }] },
      errors: refused(['pets', 'name']),
    });
    expect(await ask('{ things { ... on Dog { name bark } ... on Cat { name lives } } }')).toMatchObject({
      data: {
        things: [
          { name: null, bark: 'wuff' },
          { name: 'Tom', lives: 9 },
        ],
      },
      errors: refused(['things', 'name']),
    });
  });

  it('are not in the response if another field requires them', async () => {
    // `plain` requires the name, `greeting` the email, which the caller may not read.
    const body = await ask('{ person { plain name email greeting } }');
    expect(body.data).toEqual({ person: { plain: 'Hello Ann', name: 'Ann', email: null, greeting: null } });
    expect(JSON.stringify(body)).not.toContain('example.test');
  });

  it('make their parent null if their type is non-null', async () => {
    expect(await ask('{ strict { inner { secret } } open }')).toMatchObject({
      data: { strict: { inner: null }, open: 1 },
      errors: refused(['strict', 'inner', 'secret']),
    });
  });

  it('are not run if they are mutations', async () => {
    const before = graph.subgraph('people').requests;
    expect(await ask('mutation { erase }')).toMatchObject({
      data: { erase: null },
      errors: refused(['erase']),
    });
    expect(erased).toBe(0);
    expect(graph.subgraph('people').requests).toBe(before);
    expect(await ask('mutation { erase rename }')).toMatchObject({ data: { erase: null, rename: 1 } });
    expect(erased).toBe(0);
  });

  it('are removed together with variables that no other field uses', async () => {
    expect(
      await ask('query ($with: Boolean!) { person { name email @include(if: $with) } }', { with: true }),
    ).toMatchObject({ data: { person: { name: 'Ann', email: null } } });
  });

  it('are visible to introspection like other fields', async () => {
    const { data } = await ask('{ type: __type(name: "Person") { fields { name } } }');
    expect(data.type.fields.map(({ name }: { name: string }) => name)).toContain('email');
  });
});

describe('removing fields from a document', () => {
  const document = parse(
    'query A($v: Int) { a(v: $v) ...F } query B { b } fragment F on Query { c { d } ...G } fragment G on Query { e }',
  );
  const operation = getOperationAST(document, 'A');
  const field = (name: string): FieldNode => {
    let found: FieldNode | undefined;
    JSON.stringify(document, (_key, node: FieldNode | undefined) => {
      if (node?.kind === Kind.FIELD && node.name.value === name) found = node;
      return node;
    });
    if (!found) throw new Error(`the document has no field ${name}`);
    return found;
  };

  it('leaves a valid document', () => {
    if (!operation) throw new Error('the document has no operation A');
    expect(
      print(withoutFields(document, operation, new Set([field('a'), field('d')])) ?? document).replaceAll(
        /\s+/g,
        ' ',
      ),
    ).toBe('query A { ...F } fragment F on Query { c { __typename } ...G } fragment G on Query { e }');
  });

  it('throws if the nodes are not in the document, for example those of a copy', () => {
    const copy = parse('{ a }').definitions[0];
    if (copy?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the copy has no operation');
    const foreign = new Set(copy.selectionSet.selections as FieldNode[]);
    const original = parse('{ a }');
    const own = getOperationAST(original);
    if (!own) throw new Error('the original has no operation');
    expect(() => withoutFields(original, own, foreign)).toThrow('could not be removed');
  });
});
