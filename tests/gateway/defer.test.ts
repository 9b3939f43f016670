import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startCollector, tracingTo } from '../support/collector.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { ACCEPT_PARTS, mergedParts, partsIn, type PartsMessage } from '../support/parts.ts';
import type { Untyped } from '../support/platform/http-client.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])`;
/** The service `stats` does not answer until this is resolved. */
let gate = Promise.withResolvers<void>();
let writes = 0;
let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    people: {
      typeDefs: `${link}
        type Query { me: Person people: [Person!]! nobody: Person grumpy: Person! }
        type Mutation { rename(name: String!): Renamed }
        type Subscription { renamed: Person }
        type Renamed { person: Person! count: Int! }
        type Person @key(fields: "id") { id: ID! name: String! friends: [Person!]! }`,
      resolvers: {
        Query: {
          me: () => PEOPLE[0],
          people: () => PEOPLE,
          nobody: () => null,
          grumpy: () => ({ id: 'grumpy', name: 'Grumpy', friends: [] }),
        },
        Person: { __resolveReference: ({ id }: { id: string }) => PEOPLE.find((one) => one.id === id) },
        Mutation: {
          rename: (_: unknown, { name }: { name: string }) => ({
            person: { ...PEOPLE[0], name },
            count: (writes += 1),
          }),
        },
      },
    },
    stats: {
      typeDefs: `${link}
        type Query { slow: Int }
        type Person @key(fields: "id") { id: ID! points: Int! best: Person @shareable mood: String title: String! }`,
      resolvers: {
        Query: { slow: async () => gate.promise.then(() => 1) },
        Person: {
          __resolveReference: async ({ id }: { id: string }) => {
            await gate.promise;
            return { id, points: id.length, best: { id: 'b' } };
          },
          mood: ({ id }: { id: string }) => `mood of ${id}`,
          title: ({ id }: { id: string }) => {
            if (id === 'grumpy') throw new Error('no title');
            return `title of ${id}`;
          },
        },
      },
    },
  });
});
afterAll(() => graph.stop());
const PEOPLE = [
  { id: 'a', name: 'Ann', friends: [{ id: 'b', name: 'Bob', friends: [] }] },
  { id: 'b', name: 'Bob', friends: [] },
];

type Form = keyof typeof ACCEPT_PARTS;
const FORMS = Object.keys(ACCEPT_PARTS) as Form[];

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Sends the operation, and returns its messages: one if it was answered whole. */
async function messagesOf(form: Form, query: string, variables: object = {}): Promise<PartsMessage[]> {
  const response = await post({ query, variables }, { accept: ACCEPT_PARTS[form] });
  const text = await response.text();
  return response.headers.get('content-type')?.startsWith('multipart/mixed')
    ? partsIn(text)
    : [{ ...(JSON.parse(text) as PartsMessage), hasNext: false }];
}

async function openAnswers(): Promise<number> {
  return Number(/^gateway_open_answers_in_parts\S* (\d+)/m.exec(await graph.metrics())?.[1]);
}

beforeAll(() => gate.resolve());

describe.each(FORMS)('an operation with @defer (form %s)', (form) => {
  it('is answered in parts, the primary part as soon as it is complete', async () => {
    gate = Promise.withResolvers();
    const response = await post(
      { query: '{ me { name ... @defer(label: "stats") { points mood } } }' },
      { accept: ACCEPT_PARTS[form], 'accept-encoding': 'gzip, br' },
    );
    expect(response.headers.get('content-type')).toBe(
      `multipart/mixed;boundary="graphql";${form === '2022' ? 'deferSpec=20220824' : 'incrementalSpec=v0.2'}`,
    );
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (part: string): Promise<void> => {
      while (!text.includes(part)) text += (await reader?.read())?.value ?? '';
    };
    await readUntil('"hasNext":true');
    expect(text).not.toContain('points');
    expect(await openAnswers()).toBe(1);
    gate.resolve();
    await readUntil('--graphql--\r\n');
    expect(await openAnswers()).toBe(0);
    const pending = { id: '1', path: ['me'], label: 'stats' };
    const data = { points: 1, mood: 'mood of a' };
    expect(partsIn(text)).toEqual([
      { data: { me: { name: 'Ann' } }, ...(form === 'v0.2' && { pending: [pending] }), hasNext: true },
      form === '2022'
        ? { incremental: [{ data, path: ['me'], label: 'stats' }], hasNext: false }
        : { incremental: [{ id: '1', data }], completed: [{ id: '1' }], hasNext: false },
    ]);
  });

  it.each([
    ['fields of the same service', '{ me { id ... @defer { name friends { name } } } }'],
    ['only deferred fields', '{ me { ... @defer { points } } }'],
    ['root fields', '{ me { name } ... @defer { slow people { name } } }'],
    ['elements of a list', '{ people { name ... @defer(label: "x") { points } } }'],
    [
      'a fragment at several places',
      '{ me { ...F } people { ...F } } fragment F on Person { id ... @defer { mood best { name } } }',
    ],
    [
      'a deferred spread',
      '{ people { ...F @defer(label: "f") } } fragment F on Person { points friends { points } }',
    ],
    [
      'nested fragments',
      '{ me { name ... @defer { points ... @defer { mood ... @defer { best { name points } } } } } }',
    ],
    ['an outer fragment without fields', '{ me { name ... @defer { ... @defer { points } } } }'],
    ['fields that are primary, too', '{ me { name points ... @defer { name points best { id name } } } }'],
    [
      'two fragments at one place',
      '{ me { ... @defer(label: "a") { points } ... @defer(label: "b") { points mood } } me { name } }',
    ],
    ['an alias of the type name', '{ me { ... @defer { what: __typename points } } }'],
    [
      '@skip and @include',
      'query ($no: Boolean = false) { me { id ... @defer @include(if: $no) { points } ... @defer @skip(if: $no) { mood } } }',
    ],
    [
      'a mutation',
      'mutation { rename(name: "Zoe") { person { name ... @defer { points } } ... @defer { person { mood } } } }',
    ],
  ])('has the same result in the end as if it is answered whole: %s', async (_what, query) => {
    const whole = (await (await post({ query })).json()) as Untyped;
    const messages = await messagesOf(form, query);
    expect(messages.length).toBeGreaterThan(1);
    expect(mergedParts(messages)).toEqual({ ...whole, nulls: [] });
  });

  it('is answered whole if the places of all parts are null, or if no fragment is deferred', async () => {
    const whole = { data: { nobody: null }, hasNext: false };
    expect(await messagesOf(form, '{ nobody { name ... @defer { points } } }')).toEqual([whole]);
    const query =
      'query ($yes: Boolean!) { me { name ... @defer(if: $yes) { points } ... @defer(if: false) { mood } } }';
    expect(await messagesOf(form, query, { yes: false })).toEqual([
      { data: { me: { name: 'Ann', points: 1, mood: 'mood of a' } }, hasNext: false },
    ]);
    const [first, ...rest] = await messagesOf(form, query, { yes: true });
    expect(first?.data).toEqual({ me: { name: 'Ann', mood: 'mood of a' } });
    expect(rest).toHaveLength(1);
  });

  it('propagates null up to the part, and keeps the rest', async () => {
    const messages = await messagesOf(form, '{ grumpy { name ... @defer { title } ... @defer { mood } } }');
    const { data, errors, nulls } = mergedParts(messages);
    expect({ data, nulls }).toEqual({
      data: { grumpy: { name: 'Grumpy', mood: 'mood of grumpy' } },
      nulls: [['grumpy']],
    });
    expect(errors).toMatchObject([{ path: ['grumpy', 'title'], extensions: { code: 'INTERNAL' } }]);
  });

  it('reports the errors of a failing service together with the part that needs it', async () => {
    graph.subgraph('stats').instead = (_req, res) => res.writeHead(500).end();
    const messages = await messagesOf(form, '{ me { name ... @defer { mood } } }');
    graph.subgraph('stats').instead = undefined;
    expect(messages[0]).toMatchObject({ data: { me: { name: 'Ann' } } });
    expect(messages[0]?.errors).toBeUndefined();
    expect(mergedParts(messages)).toMatchObject({
      data: { me: { name: 'Ann', mood: null } },
      errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
  });

  it('can be sent by the hash of its text', async () => {
    const query = `{ me { name ... @defer { mood } } } # ${form}`;
    const extensions = {
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    };
    await post({ query, extensions });
    const response = await post({ extensions }, { accept: ACCEPT_PARTS[form] });
    expect(mergedParts(partsIn(await response.text())).data).toEqual({
      me: { name: 'Ann', mood: 'mood of a' },
    });
  });

  it('is run once if it is a mutation', async () => {
    const before = writes;
    await messagesOf(form, 'mutation { rename(name: "Zoe") { count ... @defer { person { points } } } }');
    expect(writes - before).toBe(1);
  });
});

describe('an operation with @defer', () => {
  it.each([
    ['JSON', 'application/json'],
    ['anything', '*/*'],
    ['a stream of subscriptions', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json'],
    ['another draft', 'multipart/mixed;incrementalSpec=v9,application/json'],
    ['no parts', 'multipart/mixed;q=0,application/json'],
  ])('is answered whole to a client that accepts %s, also the second time', async (_what, accept) => {
    const query = `{ me { name ... @defer { mood } } } # ${accept}`;
    for (const time of ['first', 'second']) {
      const response = await post({ query }, { accept });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect({ time, body: await response.json() }).toEqual({
        time,
        body: { data: { me: { name: 'Ann', mood: 'mood of a' } } },
      });
    }
  });

  it('is answered in the form of 2022 if the client names none', async () => {
    const response = await post(
      { query: '{ me { name ... @defer { mood } } }' },
      { accept: 'application/json, multipart/mixed' },
    );
    expect(partsIn(await response.text())[1]?.incremental?.[0]).toMatchObject({ path: ['me'] });
  });

  it('is answered by server-sent events', async () => {
    const response = await post(
      { query: '{ me { name ... @defer { mood } } }' },
      { accept: 'text/event-stream' },
    );
    expect((await response.text()).replace(/^:\n\n/, '')).toBe(
      [
        'event: next\ndata: {"data":{"me":{"name":"Ann"}},"hasNext":true}\n\n',
        'event: next\ndata: {"incremental":[{"data":{"mood":"mood of a"},"path":["me"]}],"hasNext":false}\n\n',
        'event: complete\ndata:\n\n',
      ].join(''),
    );
  });

  it('is answered whole in one part, like other operations, if the client accepts only parts', async () => {
    for (const query of ['{ me { name } }', '{ nobody { ... @defer { mood } } }']) {
      const response = await post({ query }, { accept: 'multipart/mixed;deferSpec=20220824' });
      expect(response.headers.get('content-type')).toMatch(/^multipart\/mixed/);
      expect(partsIn(await response.text())).toHaveLength(1);
    }
  });

  const many = (count: number) =>
    `{ me { name ${Array.from({ length: count }, (_, index) => `... @defer(label: "l${index}") { mood }`).join(' ')} } }`;
  it.each([
    ['more than 8 fragments', many(9), 'OPERATION_LIMIT_EXCEEDED'],
    [
      'more than 8 fragments, each counted wherever it is spread',
      '{ people { ...A ...B } } fragment A on Person { ...B a: friends { ...B } b: friends { ...B } } fragment B on Person { ...C x: friends { ...C } } fragment C on Person { ... @defer { mood } ... @defer { points } }',
      'OPERATION_LIMIT_EXCEEDED',
    ],
    [
      'more than 3 inside of each other',
      '{ me { ... @defer { id ... @defer { id ... @defer { id ... @defer { mood } } } } } }',
      'OPERATION_LIMIT_EXCEEDED',
    ],
    [
      'the same label twice',
      '{ me { ... @defer(label: "x") { mood } ... @defer(label: "x") { points } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a label by variable',
      'query ($l: String) { me { ... @defer(label: $l) { mood } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'the root of a mutation',
      'mutation { ... @defer { rename(name: "x") { count } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'the root of a mutation, by a fragment',
      'mutation { ...F @defer } fragment F on Mutation { rename(name: "x") { count } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['an unknown argument', '{ me { ... @defer(when: true) { mood } } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('is refused: %s', async (_what, query, code) => {
    for (const accept of [ACCEPT_PARTS['2022'], 'application/json']) {
      const response = await post({ query }, { accept });
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code } }] },
      });
    }
  });

  it('is refused if its condition is null', async () => {
    const query = 'query ($yes: Boolean = true) { me { ... @defer(if: $yes) { mood } } }';
    const response = await post({ query, variables: { yes: null } }, { accept: ACCEPT_PARTS['2022'] });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
    });
  });

  it('is refused in a batch, which is not run', async () => {
    const before = writes;
    const response = await post([
      { query: 'mutation { rename(name: "x") { count } }' },
      { query: '{ me { ... @defer { mood } } }' },
    ]);
    expect({ status: response.status, writes }).toEqual({ status: 400, writes: before });
  });

  it('is refused in a subscription', async () => {
    const query = 'subscription { renamed { name ... @defer { mood } } }';
    for (const accept of ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0', 'application/json']) {
      const response = await post({ query }, { accept });
      expect(response.status).toBe(400);
    }
  });

  it('is planned quickly, also if ten variables decide which fragments are deferred', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `v${index}`);
    const query = `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { me { name ${names
      .map((name) => `... @defer(if: $${name}, label: "${name}") { ${name}: mood }`)
      .join(' ')} } }`;
    const variables = Object.fromEntries(names.map((name, index) => [name, index % 3 === 0]));
    const startedAt = performance.now();
    const messages = await messagesOf('2022', query, variables);
    expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(1_000));
    expect(messages[0]?.data.me).toHaveProperty('v1');
    expect(messages[0]?.data.me).not.toHaveProperty('v3');
    const { data } = mergedParts(messages);
    expect(Object.keys(data.me)).toHaveLength(11);
  });

  it('is one span over a socket, also if it is answered whole after its parts were planned', async () => {
    const collector = await startCollector();
    const traced = await startOtherGraph(
      { things: { typeDefs: 'type Query { thing: Thing } type Thing { id: ID name: String }' } },
      tracingTo(collector),
    );
    const socket = createClient({
      url: `${traced.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
    });
    // Its parts are planned before the null, which is not valid for `@include`, is found.
    const query = 'query ($yes: Boolean = true) { thing { id @include(if: $yes) ... @defer { name } } }';
    const answer = await socket.iterate({ query, variables: { yes: null } }).next();
    await socket.dispose();
    await traced.stop();
    await collector.stop();
    expect(answer.value).toMatchObject({ errors: [{}] });
    const operations = collector.spans.filter(({ name }) => name === 'operation /graphql');
    expect(operations).toHaveLength(1);
    const plans = collector.spans.filter(({ name }) => name === 'plan');
    expect(new Set(plans.map(({ parentId }) => parentId))).toEqual(new Set([operations[0]?.spanId]));
  });
});
