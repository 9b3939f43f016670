import { describe, expect, it } from '@jest/globals';
import { operationFromDocument } from '@apollo/federation-internals';
import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import { getOperationAST, getVariableValues, GraphQLError, parse } from 'graphql';
import Upload from 'graphql-upload/Upload.mjs';
import type { GatewayContext } from '../../../gateway/context/gateway-context.ts';
import type { ExecutionRequest } from '../../../gateway/execution/execution.ts';
import { prepareExecution } from '../../../gateway/plan/prepare-execution.ts';
import type { SubgraphAnswer, SubgraphRequest } from '../../../gateway/subgraphs/subgraph.ts';
import { composed, graphOf } from '../../support/graph-doubles/composed-graph.ts';

const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requires", "@external"])`;
const SUPERGRAPH = composed({
  one: `${link}
    scalar Upload
    input Form { pictures: [Upload!] }
    type Query { items: [Thing] item(id: ID): Item!  maybe: Item }
    type Mutation { send(form: Form, name: String): Item }
    type Subscription { changed(id: ID): Item }
    interface Thing { id: ID! }
    type Item implements Thing @key(fields: "id") { id: ID! name: String secret: String }
    type Note implements Thing { id: ID! }`,
  two: `${link}
    type Item @key(fields: "id") { id: ID! price: Int strict: Int! tags: [Tag!] }
    type Tag { name: String! }`,
});

type Answers = Record<
  string,
  (body: { query: string; variables: Record<string, unknown> }) => SubgraphAnswer
>;

/** A prepared operation over two subgraphs that return the given answers. */
function prepared(query: string, answers: Answers, options: { primary?: boolean } = {}) {
  const sent: (SubgraphRequest & { name: string })[] = [];
  const graph = graphOf(
    SUPERGRAPH,
    ['one', 'two'].map((name) => ({
      name,
      url: '',
      send: async (request: SubgraphRequest) => {
        sent.push({ name, ...request });
        return answers[name]?.(JSON.parse(request.body) as never) ?? { data: null };
      },
      close: async () => undefined,
    })),
  );
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const { node } = graph.planner.buildQueryPlan(operationFromDocument(graph.federatedApiSchema, document));
  let primary: FetchNode | undefined;
  let plan: QueryPlan = { kind: 'QueryPlan', ...(node && { node }) };
  if (node?.kind === 'Subscription' && options.primary !== false) {
    primary = node.primary;
    plan = {
      kind: 'QueryPlan',
      node: { kind: 'Sequence', nodes: [primary, ...(node.rest ? [node.rest] : [])] },
    };
  }
  const reasons: string[] = [];
  const execution = prepareExecution(
    { graph, document, operation, plan, ...(primary && { primary }) },
    {
      formatError: (error) => ({ ...error.toJSON(), message: `seen: ${error.message}` }),
      onFallback: (why) => reasons.push(why),
    },
  );
  const requestOf = (rawVariables: Record<string, unknown> = {}, more: Partial<ExecutionRequest> = {}) => ({
    variables:
      getVariableValues(graph.apiSchema, operation.variableDefinitions ?? [], rawVariables).coerced ?? {},
    rawVariables,
    context: { requestId: 'r' } as GatewayContext,
    ...more,
  });
  return { execution, sent, reasons, requestOf };
}

const item = (id: string) => ({ __typename: 'Item', id });

describe('a prepared operation', () => {
  it('fetches equal entities once, and reports an error at each of their paths', async () => {
    const { execution, sent, requestOf } = prepared('{ items { ... on Item { price tags { name } } } }', {
      one: () => ({ data: { items: [item('1'), { __typename: 'Note' }, item('2'), null, item('1')] } }),
      two: () => ({
        data: {
          _entities: [
            { price: null, tags: [{ name: 'x' }] },
            { price: 2, tags: null },
          ],
        },
        errors: [{ message: 'no price', path: ['_entities', 0, 'price'], extensions: { code: 'NOT_FOUND' } }],
      }),
    });
    const text = await execution.toJson(requestOf());
    expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({
      variables: { representations: [item('1'), item('2')] },
    });
    expect(JSON.parse(text)).toEqual({
      errors: [0, 4].map((index) => ({
        message: 'seen: no price',
        path: ['items', index, 'price'],
        extensions: { code: 'NOT_FOUND', serviceName: 'two' },
      })),
      data: {
        items: [
          { price: null, tags: [{ name: 'x' }] },
          {},
          { price: 2, tags: null },
          null,
          { price: null, tags: [{ name: 'x' }] },
        ],
      },
    });
    expect(text.startsWith('{"errors":')).toBe(true);
  });

  it('makes the fields of a failed service null, and propagates null up to a nullable field', async () => {
    const answers: Answers = {
      one: () => ({ data: { maybe: item('1'), item: { __typename: 'Item', id: '2', name: 'kept' } } }),
      two: () => {
        throw new GraphQLError('two does not answer', { extensions: { code: 'UPSTREAM_UNAVAILABLE' } });
      },
    };
    const { execution, reasons, requestOf } = prepared('{ maybe { strict } item { name } }', answers);
    expect(JSON.parse(await execution.toJson(requestOf()))).toEqual({
      errors: [{ message: 'seen: two does not answer', extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
      data: { maybe: null, item: { name: 'kept' } },
    });
    expect(reasons).toEqual([]);
    const all = prepared('{ item { strict } }', answers);
    expect(await all.execution.toResult(all.requestOf())).toMatchObject({ data: null, errors: [{}] });
  });

  it('has an error for each invalid value of a service', async () => {
    const { execution, reasons, requestOf } = prepared('{ items { id __typename } }', {
      one: () => ({
        data: { items: [item('1'), { __typename: 'Nothing', id: '2' }, { __typename: 'Note', id: 3.5 }] },
      }),
    });
    expect(JSON.parse(await execution.toJson(requestOf()))).toMatchObject({
      data: { items: [{ id: '1', __typename: 'Item' }, null, null] },
      errors: [{ path: ['items', 1] }, { path: ['items', 2] }],
      extensions: { valueCompletion: [{ path: ['items', 1] }, { path: ['items', 2, 'id'] }] },
    });
    expect(reasons).toEqual(['undecided value']);
  });

  it("keeps a fragment on an interface inside of an object, which Apollo's executor loses", async () => {
    const { execution, requestOf } = prepared('{ item { ... on Thing { id ... on Item { name } } } }', {
      one: () => ({ data: { item: { id: '1', name: 'x' } } }),
    });
    expect(await execution.toJson(requestOf())).toBe('{"data":{"item":{"id":"1","name":"x"}}}');
  });

  it('has the errors of refused fields before all other errors', async () => {
    const { execution, requestOf } = prepared('{ item { name } }', {
      one: () => ({ data: { item: { name: null } }, errors: [{ message: 'later', path: ['item', 'name'] }] }),
    });
    const errors = [new GraphQLError('refused', { path: ['item', 'secret'] })];
    expect(await execution.toResult(requestOf({}, { errors }))).toMatchObject({
      errors: [{ message: 'refused' }, { message: 'later' }],
      data: { item: { name: null } },
    });
  });

  it('sends files in addition to the body, which has null at their paths', async () => {
    const { execution, sent, requestOf } = prepared(
      'mutation ($form: Form, $name: String, $not: String) { send(form: $form, name: $name) { id } again: send(name: $not) { id } }',
      { one: () => ({ data: { send: item('1') } }) },
    );
    const picture = new Upload();
    await execution.toJson(requestOf({ form: { pictures: [picture] }, name: 'a "name"' }));
    expect(sent).toHaveLength(1);
    expect(sent[0]?.kind).toBe('mutation');
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      variables: { form: { pictures: [null] }, name: 'a "name"' },
    });
    expect([...(sent[0]?.files ?? [])]).toEqual([['variables.form.pictures.0', picture.promise]]);
  });

  it('refuses null for a variable of @skip or @include', async () => {
    const { execution, sent, requestOf } = prepared(
      'query ($no: Boolean = false) { item { id name @skip(if: $no) } }',
      {},
    );
    const { errors, data } = JSON.parse(await execution.toJson(requestOf({ no: null }))) as {
      errors: unknown[];
      data?: unknown;
    };
    expect(errors).toMatchObject([
      { message: expect.stringContaining('"$no"'), extensions: { code: 'VALIDATION_FAILED' } },
    ]);
    expect(data).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('uses the event as the answer to the primary of a subscription, and does not change the event', async () => {
    const { execution, sent, requestOf } = prepared(
      'subscription ($id: ID) { changed(id: $id) { name price } }',
      {
        two: () => ({ data: { _entities: [{ price: 5 }] } }),
      },
    );
    const primaryAnswer = { data: { changed: { ...item('1'), name: 'x' } } };
    for (let time = 0; time < 2; time += 1)
      expect(await execution.toResult(requestOf({ id: '1' }, { primaryAnswer }))).toEqual({
        data: { changed: { name: 'x', price: 5 } },
      });
    expect(sent.map(({ name }) => name)).toEqual(['two', 'two']);
    expect(primaryAnswer).toEqual({ data: { changed: { ...item('1'), name: 'x' } } });
    expect(execution.by).toBe('compiled');
  });

  it.each([
    ['introspection', '{ __schema { queryType { name } } item { id } }'],
    ['name of an inherited property', '{ constructor: item { id } }'],
  ])('is run by the Apollo executor for the fallback reason "%s"', async (reason, query) => {
    const { execution, reasons, requestOf } = prepared(query, {
      one: (body) => ({
        data: body.query.includes('constructor') ? { constructor: item('1') } : { item: item('1') },
      }),
    });
    expect(execution.by).toBe('apollo');
    expect(reasons).toEqual([reason]);
    const text = await execution.toJson(requestOf());
    expect(text).toContain('{"id":"1"}');
    expect(text).not.toContain('errors');
  });

  it('never rejects, not even for invalid answers of a subgraph', async () => {
    const broken: SubgraphAnswer[] = [
      { data: [] as never },
      { data: 'text' as never },
      { errors: 'no list' as never },
      { errors: [null] as never },
      { data: { items: 5 } },
      { data: { items: [5, [], 'x'] } },
    ];
    for (const answer of broken) {
      const { execution, requestOf } = prepared('{ items { id ... on Item { price } } }', {
        one: () => answer,
      });
      expect(Object.keys(JSON.parse(await execution.toJson(requestOf())) as object)).not.toEqual([]);
      expect(await execution.toResult(requestOf())).toBeDefined();
    }
  });
});
