import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, parse, printType, type IntrospectionQuery } from 'graphql';
import { inputSchemaOf } from '../../gateway/agents/input-schema.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

/** Features that the GraphQL specification of September 2025 added, and that graphql-js 16 supports. */
const TYPE_DEFS = `extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
    @link(url: "https://specs.fitness-platform.example/oneOf/v1.0", import: ["@oneOf"])
    @composeDirective(name: "@oneOf")
  directive @oneOf on INPUT_OBJECT
  scalar Colour @specifiedBy(url: "https://example.test/colours")
  type Query {
    found(by: Lookup!, limit: Int @deprecated(reason: "it is 1")): String
    painted(in: Colour): String
  }
  input Lookup @oneOf { id: ID email: String near: Place }
  input Place { name: String! city: String @deprecated(reason: "the name is enough") }`;

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    finder: {
      typeDefs: TYPE_DEFS,
      resolvers: {
        Query: {
          found: (_: unknown, { by }: { by: object }) => JSON.stringify(by),
          painted: (_: unknown, given: { in: string }) => given.in,
        },
      },
    },
  });
});
afterAll(() => graph.stop());

async function introspection(): Promise<IntrospectionQuery> {
  const query = getIntrospectionQuery({
    oneOf: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  });
  const { status, body } = await graph.ask(query);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return body.data as IntrospectionQuery;
}

async function introspectedSchema(): Promise<IntrospectionQuery['__schema']> {
  const { __schema: schema } = await introspection();
  return schema;
}

describe('an input object with @oneOf', () => {
  it.each([
    ['a literal', '{ found(by: { id: "7" }) }', {}],
    ['a variable', 'query ($by: Lookup!) { found(by: $by) }', { by: { id: '7' } }],
    ['a variable for its field', 'query ($id: ID!) { found(by: { id: $id }) }', { id: '7' }],
  ])('takes exactly one field: %s', async (_how, query, variables) => {
    expect((await graph.ask(query, variables)).body).toEqual({ data: { found: '{"id":"7"}' } });
  });

  it.each([
    ['two fields', '{ found(by: { id: "7", email: "a@b.test" }) }', {}],
    ['none', '{ found(by: {}) }', {}],
    ['null', '{ found(by: { id: null }) }', {}],
    ['two fields in a variable', 'query ($by: Lookup!) { found(by: $by) }', { by: { id: '7', email: 'a' } }],
    ['null in a variable', 'query ($by: Lookup!) { found(by: $by) }', { by: { id: null } }],
    ['a variable that may be null', 'query ($id: ID) { found(by: { id: $id }) }', { id: '7' }],
  ])('refuses anything else, before a subgraph is asked: %s', async (_what, query, variables) => {
    const before = graph.subgraph('finder').requests;
    const { status, body } = await graph.ask(query, variables);
    expect({ status, data: body.data ?? null }).toEqual({ status: 400, data: null });
    expect(body.errors[0].message).toMatch(/exactly one|non-null|non-nullable/i);
    expect(graph.subgraph('finder').requests).toBe(before);
  });

  it('is marked in introspection', async () => {
    const schema = await introspectedSchema();
    const lookup = schema.types.find(({ name }) => name === 'Lookup');
    expect(lookup).toMatchObject({ kind: 'INPUT_OBJECT', isOneOf: true });
    const place = schema.types.find(({ name }) => name === 'Place');
    expect(place).toMatchObject({ isOneOf: false });
    expect((await graph.ask('{ __type(name: "Lookup") { isOneOf } }')).body).toEqual({
      data: { __type: { isOneOf: true } },
    });
    const client = buildClientSchema(await introspection()).getType('Lookup');
    expect(client && printType(client)).toContain('@oneOf');
  });

  it('has oneOf in the JSON Schema of the arguments of a tool', async () => {
    const document = parse('query ($by: Lookup!) { found(by: $by) }');
    const [operation] = document.definitions;
    const schema = buildClientSchema(await introspection());
    // The cast: the function reads only these properties of a tool.
    const { properties } = inputSchemaOf(schema, { document, operation, variables: new Map() } as never);
    expect(properties['by']).toMatchObject({
      type: 'object',
      additionalProperties: false,
      oneOf: [{ required: ['id'] }, { required: ['email'] }, { required: ['near'] }],
    });
  });
});

describe('by the GraphQL specification of September 2025,', () => {
  it('deprecated arguments and input fields, and the URL of a scalar are in introspection', async () => {
    const { types } = await introspectedSchema();
    const typeOf = (name: string) => types.find((type) => type.name === name);
    expect(typeOf('Colour')).toMatchObject({ specifiedByURL: 'https://example.test/colours' });
    expect(typeOf('Place')).toMatchObject({
      inputFields: [
        { name: 'name' },
        { name: 'city', isDeprecated: true, deprecationReason: 'the name is enough' },
      ],
    });
    expect(typeOf('Query')).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({
          name: 'found',
          args: expect.arrayContaining([expect.objectContaining({ name: 'limit', isDeprecated: true })]),
        }),
      ]),
    });
  });

  it('operations, their variables and fragments may have descriptions', async () => {
    const query =
      '"Finds one." query Find("Whom." $id: ID!) { ...Found } """What is found.""" fragment Found on Query { found(by: { id: $id }) }';
    for (let time = 0; time < 2; time += 1)
      expect((await graph.ask(query, { id: '7' })).body).toEqual({ data: { found: '{"id":"7"}' } });
  });

  it('a text may contain every Unicode character, as it is or escaped', async () => {
    for (const query of ['{ painted(in: "\\u{1F3CB} ü") }', '{ painted(in: "🏋 ü") }'])
      expect((await graph.ask(query)).body).toEqual({ data: { painted: '🏋 ü' } });
  });
});
