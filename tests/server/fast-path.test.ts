import { generateKeyPairSync } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'express-rate-limit';
import { GraphQLError } from 'graphql';
import jwt from 'jsonwebtoken';
import { pino } from 'pino';
import { TokenVerifier } from '../../server/auth/token-verifier.ts';
import { PlatformError } from '../../server/errors.ts';
import { addRepresentationChecks } from '../../server/graphql/entities.ts';
import { FastPath } from '../../server/graphql/fast-path/fast-path.ts';
import { KnownQueries } from '../../server/graphql/fast-path/known-queries.ts';
import { OperationChecks } from '../../server/graphql/operation-checks.ts';
import { mountGraphEndpoint, subgraphSchema } from '../../server/graphql/subgraph-endpoint.ts';
import { createApp } from '../../server/http/create-app.ts';
import { httpServerFor } from '../../server/http/listen.ts';
import { contextOf } from '../../server/http/request-context.ts';
import { RequestOrigins } from '../../server/http/request-origin.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { rateCounter, rateLimited } from '../../server/rest/rate-limit.ts';
import { postGraph, type RawResponse } from '../support/raw-request.ts';

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@listSize"])
  type Item @key(fields: "id") { id: ID! name: String needed: String! }
  type Query {
    echo(text: String!): String items(first: Int! = 2): [Item] @listSize(slicingArguments: ["first"]) refused: String
    broken: String denied: String needed: String! slow: String address: String caller: String
  }
  type Mutation { change(name: String!): String }
`;

/** The result of the field `slow`; the test in which a client leaves resolves it. */
const slow = Promise.withResolvers<string>();
const resolving = new EventEmitter();

const RESOLVERS = {
  Item: {
    __resolveReference: async ({ id }: { id: string }) => (id === 'none' ? null : { id, name: `item ${id}` }),
  },
  Query: {
    echo: (_root: unknown, { text }: { text: string }) => text,
    items: async () => [{ id: '1', name: 'ä"\n', needed: 'x' }, { id: '2' }],
    refused: async () => {
      throw new PlatformError('NOT_FOUND', 'There is no such thing.');
    },
    broken: () => {
      throw new Error('a detail that nobody may see');
    },
    denied: () => {
      throw new GraphQLError('denied', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
    },
    needed: async () => {
      throw new GraphQLError('denied', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
    },
    slow: () => {
      resolving.emit('slow');
      return slow.promise;
    },
    address: (_root: unknown, _args: unknown, { address }: { address: string }) => address,
    caller: (_root: unknown, _args: unknown, { viewer }: { viewer: object }) => JSON.stringify(viewer),
  },
  Mutation: { change: (_root: unknown, { name }: { name: string }) => name },
};

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const tokenOf = (claims: object): string =>
  `Bearer ${jwt.sign(claims, privateKey.export({ type: 'pkcs8', format: 'pem' }), { algorithm: 'ES256', keyid: 'k1', issuer: 'i', audience: 'a', expiresIn: '1h' })}`;
const MEMBER = tokenOf({ role: 'MEMBER', gymId: null, sid: 's', sub: 'user-1' });
const SERVICE = tokenOf({ role: 'SERVICE', sub: 'gym' });

const lines: Record<string, unknown>[] = [];
const metrics = createMetrics('test');
const servers: Server[] = [];
let url = '';
/** The number of requests that Express has handled. */
let passed = 0;

/** Starts a service with the fast path. @returns its URL */
async function start(perMinute: number): Promise<string> {
  const schema = subgraphSchema(SDL, [RESOLVERS]);
  addRepresentationChecks(schema);
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const checks = new OperationChecks(schema, SDL, 'admins');
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const verifier = new TokenVerifier({ issuer: 'i', audience: 'a', keys: { get: async () => key } });
  const limit = { name: 'general', perMinute, by: 'caller' } as const;
  const store = new MemoryStore();
  const queries = new KnownQueries(schema);
  const origins = new RequestOrigins(['loopback']);
  const settings = { corsOrigins: [], demo: true };
  const app = createApp(settings as never, { service: 'test', origins, log, metrics });
  app.use((_req, _res, next) => {
    passed += 1;
    next();
  });
  await mountGraphEndpoint(app, {
    schema,
    verifier,
    log,
    checks,
    queries,
    rateLimiter: rateLimited({ ...limit, store }),
    begin: (res) => ({
      context: { viewer: contextOf(res).viewer, address: contextOf(res).address },
      idempotency: undefined as never, // only mutations use it
      inSavepoint: undefined,
    }),
  });
  const count = rateCounter(limit, store);
  const { listener } = new FastPath({
    app,
    queries,
    checks,
    verifier,
    origins,
    log,
    metrics,
    settings,
    count,
    contextOf: (viewer, { address }) => ({ viewer, address }),
  });
  const server = httpServerFor(listener, { rateLimits: false, socketsPerAddress: 10 }, origins);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  url = await start(1_000);
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

interface Seen extends RawResponse {
  byExpress: boolean;
  logged: Record<string, unknown>[];
  /** The requests that the metrics have counted, and those that they have counted as failures of the platform. */
  counted: number;
  failed: number;
}

const COUNTED = /^http_request_duration_seconds_count\{.*\} (\d+)$/gm;
const FAILED = /^operation_duration_seconds_count\{.*outcome="failed".*\} (\d+)$/gm;

/** The sum of the samples in the metrics that match. */
const countOf = async (samples: RegExp): Promise<number> =>
  [...(await metrics.text()).body.matchAll(samples)].reduce((sum, [, count]) => sum + Number(count), 0);

/** A response, with its log lines and metrics. */
async function ask(body: string | object, headers: Record<string, string>): Promise<Seen> {
  const [before, countBefore, failedBefore] = [passed, await countOf(COUNTED), await countOf(FAILED)];
  lines.length = 0;
  const response = await postGraph(url, body, { 'x-request-id': 'mine', ...headers });
  while (!lines.some(({ msg }) => msg === 'request')) await new Promise((resolve) => setImmediate(resolve));
  const logged = lines.map(({ time: _time, millis: _millis, traceId, err, ...line }) => ({
    ...line,
    traceId: typeof traceId,
    err: (err as { message?: string } | undefined)?.message,
  }));
  return {
    ...response,
    byExpress: passed > before,
    logged,
    counted: (await countOf(COUNTED)) - countBefore,
    failed: (await countOf(FAILED)) - failedBefore,
  };
}

/** Leaves out what may differ: times, the number of remaining requests, and whether the length is sent. */
function comparable({ status, headers, body, logged, counted, failed }: Seen) {
  // With Express, the compression middleware always removes the length.
  const {
    date: _date,
    'content-length': _length,
    'transfer-encoding': _encoding,
    ratelimit,
    'ratelimit-policy': policy,
    ...others
  } = headers;
  const limits = [String(ratelimit).replace(/r=\d+; t=\d+/, ''), policy];
  return { status, headers: others, limits, body, logged, counted, failed };
}

/** With this header the fast path passes a request to Express. It has no other effect. */
const BY_EXPRESS = { 'content-type': 'application/json;charset=utf-8' };

const remaining = ({ headers }: RawResponse): number =>
  Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);

const ENTITIES =
  'query($representations:[_Any!]!){_entities(representations:$representations){...on Item{id name needed}}}';

it('a request is not taken for a known query if only its operation name and its text, joined by a line break, equal the text of that query', async () => {
  const known = { query: 'query\n{ items { id } }' };
  await ask(known, BY_EXPRESS);
  expect((await ask(known, {})).byExpress).toBe(false);
  const other = await ask({ query: '{ items { id } }', operationName: 'query' }, {});
  expect(other.byExpress).toBe(true);
  expect(other.status).toBe(400);
  expect(other.body).toContain('Unknown operation');
});

describe('the answer of the fast path to a known query is that of Express', () => {
  it.each([
    ['plain', { query: '{ items { id name } }' }, {}],
    ['with variables', { query: 'query ($t: String!) { echo(text: $t) }', variables: { t: 'ä"\n' } }, {}],
    [
      'named among others',
      { query: 'query A { a: echo(text: "a") } query B { b: echo(text: "b") }', operationName: 'B' },
      {},
    ],
    [
      'of entities',
      {
        query: ENTITIES,
        variables: {
          representations: [
            { __typename: 'Item', id: '1' },
            { __typename: 'Item', id: 'none' },
            { __typename: 'Nothing' },
          ],
        },
      },
      {},
    ],
    ['with null for a non-null field', { query: '{ items { id needed } }' }, {}],
    ['with a refusal', { query: '{ refused\n  items { id } }' }, {}],
    ['with an error that is masked', { query: '{ broken }' }, {}],
    ['with a status of its own beside data', { query: '{ denied }' }, {}],
    ['with a status and no data', { query: '{ needed }' }, {}],
    ['by a member', { query: '{ caller address }' }, { authorization: MEMBER }],
    ['by a service', { query: '{ caller }' }, { authorization: SERVICE }],
    [
      'by a service for a user',
      { query: '{ caller }' },
      { authorization: SERVICE, 'x-on-behalf-of': '01900000-0000-7000-8000-000000000001' },
    ],
    ['through a proxy', { query: '{ address }' }, { 'x-forwarded-for': '203.0.113.7' }],
    [
      'in the newer media type',
      { query: '{ items { id } }' },
      { accept: 'application/graphql-response+json' },
    ],
    [
      'for one of several media types',
      { query: '{ items { id } }' },
      { accept: 'application/json, text/plain' },
    ],
    ['for a page of another origin', { query: '{ items { id } }' }, { origin: 'http://localhost:5173' }],
    ['for a client that accepts compression', { query: '{ items { id } }' }, { 'accept-encoding': 'gzip' }],
    ['for any media type', { query: '{ items { id } }' }, { accept: '*/*' }],
  ] as [string, object, Record<string, string>][])('%s', async (_what, body, headers) => {
    const first = await ask(body, { ...headers, ...BY_EXPRESS });
    const fast = await ask(body, headers);
    expect({ first: first.byExpress, fast: fast.byExpress }).toEqual({ first: true, fast: false });
    expect(comparable(fast)).toEqual(comparable(first));
    expect(fast.counted).toBe(1);
    // The rate limit does not count a service.
    const expected = first.headers.ratelimit ? remaining(first) - 1 : Number.NaN;
    expect(remaining(fast)).toBe(expected);
  });
});

/** A query whose cost depends on its variable. */
const COSTLY = `query ($n: Int!) { ${Array.from({ length: 55 }, (_, at) => `i${at}: items(first: $n) { id name needed }`).join(' ')} }`;

describe('Express handles, even if the query is known,', () => {
  const query = '{ items(first: 2) { id } }';
  it.each([
    ['a media type that is not supported', { query }, { accept: 'text/plain' }],
    ['a token that is not valid', { query }, { authorization: 'Bearer a.b.c' }],
    ['extensions', { query, extensions: {} }, {}],
    ['several operations', [{ query }], {}],
    [
      'variables that do not fit',
      { query: 'query ($n: Int!) { items(first: $n) { id } }', variables: { n: 'x' } },
      {},
    ],
    ['variables of another kind', { query, variables: 'x' }, {}],
    ['an operation that costs too much', { query: COSTLY, variables: { n: 100 } }, {}],
    ['a mutation', { query: 'mutation { change(name: "x") }' }, {}],
    ['introspection', { query: '{ __schema { queryType { name } } }' }, {}],
    ['a body that is not JSON', '{"query": ', {}],
    ['an empty body', '', {}],
    [
      'JSON that is nested too deeply',
      `{"query":"{echo(text:\\"x\\")}","variables":${'['.repeat(200)}${']'.repeat(200)}}`,
      {},
    ],
  ] as [string, string | object, Record<string, string>][])('%s', async (_what, body, headers) => {
    await ask({ query }, BY_EXPRESS);
    await ask({ query: 'query ($n: Int!) { items(first: $n) { id } }', variables: { n: 2 } }, BY_EXPRESS);
    await ask({ query: COSTLY, variables: { n: 1 } }, BY_EXPRESS);
    const first = await ask(body, { ...BY_EXPRESS, ...headers });
    const second = await ask(body, headers);
    expect(second.byExpress).toBe(true);
    expect(comparable(second)).toEqual(comparable(first));
    expect(second.counted).toBe(1);
  });
});

it('the fast path logs a request whose client leaves before the answer, as Express does', async () => {
  const query = '{ slow }';
  const leave = async (headers: Record<string, string>) => {
    lines.length = 0;
    const bytes = Buffer.from(JSON.stringify({ query }));
    const sent = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers };
    const request = http
      .request(`${url}/graphql`, { method: 'POST', headers: sent })
      .once('error', () => undefined);
    const before = passed;
    const waiting = once(resolving, 'slow');
    request.end(bytes);
    await waiting;
    request.destroy();
    while (!lines.some(({ msg }) => msg === 'request')) await new Promise((resolve) => setImmediate(resolve));
    const [{ status, aborted, operation } = {}] = lines;
    return { byExpress: passed > before, line: { status, aborted, operation } };
  };
  const line = { status: 499, aborted: true, operation: 'POST /graphql' };
  expect(await leave(BY_EXPRESS)).toEqual({ byExpress: true, line });
  expect(await leave({})).toEqual({ byExpress: false, line });
  slow.resolve('too late');
});

it('the fast path counts requests together with Express, which refuses those beyond the limit', async () => {
  const limited = await start(4);
  const send = (headers: Record<string, string>) => postGraph(limited, { query: '{ address }' }, headers);
  const answers: RawResponse[] = [];
  for (const headers of [BY_EXPRESS, {}, BY_EXPRESS, {}, {}, BY_EXPRESS]) answers.push(await send(headers));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
  expect(answers.map(remaining)).toEqual([3, 2, 1, 0, 0, 0]);
  expect(answers[4]?.headers['retry-after']).toMatch(/^\d+$/);
  expect(JSON.parse(answers[4]?.body ?? '')).toMatchObject({
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
});

it('the fast path keeps at most 64 MiB of queries, the most recently used ones', async () => {
  // The metric adds the caches of all services in this process, also of those that other files have started.
  const cacheBytes = async (): Promise<number> =>
    Number(/^cache_bytes\{cache="compiled_queries"\} (\d+)$/m.exec((await metrics.text()).body)?.[1]);
  const queryOf = (number: number): string => `{ a${number}: echo(text: "${'x'.repeat(5_000)}") }`;
  const before = await cacheBytes();
  for (let number = 0; number < 300; number += 1) await ask({ query: queryOf(number) }, BY_EXPRESS);
  expect((await cacheBytes()) - before).toBeLessThan(64 * 1024 * 1024);
  expect((await ask({ query: queryOf(299) }, {})).byExpress).toBe(false);
  expect((await ask({ query: queryOf(0) }, {})).byExpress).toBe(true);
});
