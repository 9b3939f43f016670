import { describe, expect, it } from '@jest/globals';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { auditServer } from 'graphql-http';
import { subscribe } from '../support/subscribe.ts';
import { startOtherGraph } from '../support/other-graph.ts';
import { RESOLVERS, thingsGateway, TYPE_DEFS, type Answered } from './things-gateway.ts';

const { gateway, send } = thingsGateway();

describe('an operation that is sent again', () => {
  it.each([
    ['plain', { query: '{ items(first: 2) { nodes { id } } }' }, {}],
    ['with variables', { query: 'query ($t: String!) { echo(text: $t) }', variables: { t: 'ä"\n' } }, {}],
    ['with a missing variable', { query: 'query ($t: String!) { echo(text: $t) }', variables: {} }, {}],
    [
      'named among others',
      { query: 'query A { a: echo(text: "a") } query B { b: echo(text: "b") }', operationName: 'B' },
      {},
    ],
    ['by a name that it does not have', { query: 'query A { a: echo(text: "a") }', operationName: 'C' }, {}],
    ['without the name that is needed', { query: 'query A { now } query B { now }' }, {}],
    ['with an error', { query: '{ failing }' }, {}],
    ['that costs too much', { query: '{ heavy }' }, {}],
    [
      'in the newer media type',
      { query: '{ echo(text: "x") }' },
      { accept: 'application/graphql-response+json' },
    ],
    [
      'that is refused in the newer media type',
      { query: '{ heavy }' },
      { accept: 'application/graphql-response+json' },
    ],
    ['with an invalid token', { query: '{ echo(text: "y") }' }, { authorization: 'Bearer a.b.c' }],
    ['from a page of another origin', { query: '{ echo(text: "z") }' }, { origin: 'http://localhost:5173' }],
    ['with a request id', { query: '{ echo(text: "w") }' }, { 'x-request-id': 'mine' }],
  ])('(%s) gets the same answer as the first time', async (_what, request, headers) => {
    const first = await send(request, { headers });
    const second = await send(request, { headers });
    expect(second.status).toBe(first.status);
    expect(second.body).toEqual(first.body);
    const shown = ({ headers: all }: { headers: Headers }) =>
      Object.fromEntries(
        [...all].filter(
          ([name]) => !/^(date|keep-alive|connection|etag|content-length|x-request-id|vary)$/.test(name),
        ),
      );
    expect(shown(second)).toEqual(shown(first));
    expect(second.headers.get('x-request-id')).toMatch(
      (headers as Record<string, string>)['x-request-id'] ?? /^[\w-]{36}$/,
    );
    expect(first.status).toBeLessThan(500);
  });

  it('has a compressed answer if the client accepts an encoding', async () => {
    const request = { query: `{ echo(text: "${'x'.repeat(5_000)}") }` };
    for (let i = 0; i < 2; i += 1)
      for (const encoding of ['br', 'gzip', 'identity']) {
        const { headers, body } = await send(request, { headers: { 'accept-encoding': encoding } });
        expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
        expect(body.data.echo).toHaveLength(5_000);
      }
  });

  it('has its variables checked every time', async () => {
    const query = 'query ($t: String!) { echo(text: $t) }';
    expect((await send({ query, variables: { t: 'a' } })).body.data).toEqual({ echo: 'a' });
    expect(await send({ query, variables: { t: 1 } })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
    });
    expect(await send({ query, variables: [] })).toMatchObject({ status: 400 });
    expect(await send({ query, variables: 'x' })).toMatchObject({ status: 400 });
    expect(await send({ query, operationName: 5 })).toMatchObject({ status: 400 });
  });
});

describe('an invalid request', () => {
  it.each([
    ['broken JSON', '{"query":', 400],
    ['JSON that is no object', '5', 400],
    ['an empty body', '', 400],
    ['an empty object', '{}', 400],
    ['a query that is no text', '{"query":{}}', 400],
    ['an empty batch', '[]', 400],
    [
      'variables that are too deep',
      `{"query":"{ now }","variables":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
      400,
    ],
  ])('(%s) is refused', async (_what, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  it('is refused if a form of another page could have sent it (CSRF)', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect(
        (await send('{"query":"mutation { bump }"}', { headers: { 'content-type': type } })).status,
      ).toBe(400);
  });
});

/** `GET /graphql?query=...` */
const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway().url}/graphql?query=${encodeURIComponent(query)}`, { headers, redirect: 'manual' });

describe('GET /graphql', () => {
  it('runs a query of a client that sends no special header', async () => {
    const answer = await get('{ now }');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { now: expect.any(Number) } });
  });

  // A subscription is answered by a stream only, and this client does not name the media type of a stream.
  it.each([
    ['mutation { bump }', 405],
    ['subscription { __typename }', 406],
  ])('runs no %s', async (operation, status) => {
    const requests = () => gateway().subgraph('things').requests;
    const before = requests();
    const answer = await get(operation);
    expect(answer.status).toBe(status);
    expect(requests()).toBe(before);
  });

  it('refuses a mutation with the allowed methods in Allow', async () => {
    const answer = await get('mutation { bump }');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('redirects a browser with the query to the explorer, and does not run the query', async () => {
    const before = gateway().subgraph('things').requests;
    const answer = await get('{ now }', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/explorer?query=%7B%20now%20%7D']);
    expect(gateway().subgraph('things').requests).toBe(before);
  });
});

describe('the status of an answer', () => {
  const NEWER = { accept: 'application/graphql-response+json' };

  it.each([
    ['200 if all fields of its data are null', { query: '{ failing }' }, {}, 200],
    ['200 if all fields of its data are null, in the newer media type', { query: '{ failing }' }, NEWER, 200],
    ['200 if the first operation of a batch has data', [{ query: '{ now }' }, { query: '{' }], {}, 200],
    ['200 if the last operation of a batch has data', [{ query: '{' }, { query: '{ failing }' }], {}, 200],
    ['400 if no operation of a batch has data', [{ query: '{ nothing }' }, { query: '{' }], {}, 400],
    ['400 if it has no data, in the newer media type', { query: '{ nothing }' }, NEWER, 400],
  ])('is %s', async (_what, body, headers, status) => {
    // The fast path handles the second request if it has one valid operation.
    for (let time = 0; time < 2; time += 1) expect((await send(body, { headers })).status).toBe(status);
  });

  it.each(['application/json', 'application/graphql-response+json'])(
    'is 401 for a rejected token, also in an answer of the type %s',
    async (accept) => {
      const { status, headers, body } = await send(
        { query: '{ now }' },
        { headers: { accept: `${accept}, text/html;q=0.1`, authorization: 'Bearer a.b.c' } },
      );
      expect(status).toBe(401);
      expect(headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    },
  );
});

describe('over the socket', () => {
  it('the same checks apply as over HTTP', async () => {
    const strict = await startOtherGraph(
      { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } },
      { INTROSPECTION: 'off', RATE_LIMITS: 'on' },
    );
    const first = async (query: string): Promise<unknown> => {
      const operation = subscribe(strict.url, query);
      try {
        return await operation.next();
      } catch (error) {
        return error;
      } finally {
        await operation.close();
      }
    };
    try {
      expect(await first('{ echo(text: "a") }')).toEqual({ data: { echo: 'a' } });
      expect(await first('{ __schema { types { name } } }')).toMatchObject([
        { extensions: { code: 'FORBIDDEN' } },
      ]);
      expect(await first('{ heavy }')).toMatchObject({
        errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }],
      });
      expect(await first('{ nothing }')).toMatchObject([
        { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ]);
      expect(await first('{ now')).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
      // The rate limit, 600 operations, counts those over HTTP and over the socket together.
      for (let i = 0; i < 600; i += 1) await send({ query: '{ __typename }' }, { url: strict.url });
      expect(await first('{ now }')).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    } finally {
      await strict.stop();
    }
  });
});

describe('batches', () => {
  it('are answered in their order, up to ten', async () => {
    const batch = Array.from({ length: 10 }, (_, i) => ({ query: `{ echo(text: "${i}") }` }));
    const { body } = await send(batch);
    expect(body.map(({ data }: Answered) => data.echo)).toEqual(batch.map((_, i) => String(i)));
    expect(await send([...batch, ...batch])).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }] },
    });
  });

  it('are refused as a whole if one of their operations is too deep', async () => {
    const deep = `{ ${'items { nodes { '.repeat(8)} id ${'} }'.repeat(8)} }`;
    expect(await send([{ query: '{ now }' }, { query: deep }])).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }] },
    });
  });
});

describe('cost', () => {
  it.each([
    ['a weight by @cost', '{ heavy }', {}],
    ['lists in lists', '{ items(first: 100) { nodes { items(first: 100) { nodes { id } } } } }', {}],
    [
      'lists with a variable as their size',
      'query ($n: Int) { items(first: $n) { nodes { id items(first: $n) { nodes { id } } } } }',
      { n: 100 },
    ],
    [
      'the assumed size of a list',
      '{ items(first: 60) { nodes { items { nodes { items { nodes { id } } } } } } }',
      {},
    ],
  ])('counts %s', async (_what, query, variables) => {
    for (let i = 0; i < 2; i += 1)
      expect(await send({ query, variables })).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }] },
      });
  });

  it('allows operations below the limit', async () => {
    const query = 'query ($n: Int) { items(first: $n) { nodes { id items(first: $n) { nodes { id } } } } }';
    expect((await send({ query, variables: { n: 10 } })).body.errors).toBeUndefined();
  });
});

describe('GraphQL over HTTP', () => {
  it('passes all MUST audits of graphql-http, and all other audits that Apollo Server passes', async () => {
    const apolloServer = new ApolloServer({
      typeDefs: 'type Query { a: Int }',
      includeStacktraceInErrorResponses: false,
    });
    const { url: apolloUrl } = await startStandaloneServer(apolloServer, {
      listen: { port: 0, host: '127.0.0.1' },
    });
    const failed = async (url: string) =>
      (await auditServer({ url }))
        .filter(({ status }) => status !== 'ok')
        .map(({ id, name }) => `${id} ${name}`);
    const ofApolloServer = await failed(apolloUrl);
    await apolloServer.stop();
    const ours = await failed(`${gateway().url}/graphql`);
    expect(ours.filter((audit) => / MUST /.test(audit))).toEqual([]);
    expect(ours.filter((audit) => !ofApolloServer.includes(audit))).toEqual([]);
  });
});
