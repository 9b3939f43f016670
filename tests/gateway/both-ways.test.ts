import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const TYPE_DEFS = `
  type Query { echo(text: String!): String failing: Int! items: [String!] held: Int }
  type Mutation { bump: Int }`;
const LONG = 'long '.repeat(300);

let graph: OtherGraph;
let count = 0;
/** Called for each `held` field, which then never gets a value. If it is undefined, the field is null at once. */
let onHeld: (() => void) | undefined;
beforeAll(async () => {
  graph = await startOtherGraph(
    {
      things: {
        typeDefs: TYPE_DEFS,
        resolvers: {
          Query: {
            echo: (_: unknown, { text }: { text: string }) => text,
            failing: () => {
              throw new Error('not now');
            },
            items: () => [LONG],
            held: () => onHeld && new Promise(onHeld),
          },
          Mutation: { bump: () => (count += 1) },
        },
      },
    },
    { RATE_LIMITS: 'on', CORS_ORIGINS: 'https://front.example' },
  );
});
afterAll(() => graph.stop());

interface Answer {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

const FAST = 'application/json';
/** The fast path passes a request with this content type to Express. */
const EXPRESS = 'application/json;charset=utf-8';

const send = (body: string, headers: http.OutgoingHttpHeaders): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const req = http.request(`${graph.url}/graphql`, { method: 'POST', headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode, headers: res.headers, body: textOf(Buffer.concat(chunks)) }),
      );
    });
    req.on('error', reject).end(body);
  });

/** The text of a JSON body (0x7b is `{`); compressed bytes are compared in base64. */
const textOf = (bytes: Buffer): string => bytes.toString(bytes[0] === 0x7b ? 'utf8' : 'base64');

/** The answer without the values of headers that differ between any two requests. */
function comparable({ status, headers, body }: Answer) {
  const { date: _date, 'x-request-id': id, ratelimit, ...rest } = headers;
  expect(id).toMatch(/^[\w-]+$/);
  return {
    status,
    headers: { ...rest, ratelimit: String(ratelimit).replace(/r=\d+; t=\d+/, 'counted') },
    body,
  };
}

const ECHO = { query: '{ echo(text: "x") }' };
const ITEMS = { query: '{ items }' };

describe('the fast path and Express answer alike', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['a query', ECHO, {}],
    ['variables', { query: 'query ($t: String!) { echo(text: $t) }', variables: { t: 'ä"\n' } }, {}],
    ['invalid variables', { query: 'query ($t: String!) { echo(text: $t) }', variables: { t: 1 } }, {}],
    ['a mutation', { query: 'mutation { __typename }' }, {}],
    ['an error instead of data', { query: '{ failing }' }, {}],
    ['an unknown field', { query: '{ nothing }' }, {}],
    ['a syntax error', { query: '{' }, {}],
    ['no query', {}, {}],
    ['broken JSON', '{"query":', {}],
    ['JSON that is no object', '5', {}],
    ['an empty body', '', {}],
    ['JSON that is too deep', `{"query":"{ items }","x":${'['.repeat(500)}${']'.repeat(500)}}`, {}],
    ['an invalid token', ECHO, { authorization: 'Bearer a.b.c' }],
    ['an invalid Idempotency-Key', ECHO, { 'idempotency-key': ' ' }],
    ['any media type', ECHO, { accept: '*/*' }],
    ['the newer media type', ECHO, { accept: 'application/graphql-response+json' }],
    ['an error in the newer media type', { query: '{' }, { accept: 'application/graphql-response+json' }],
    [
      'media types with weights',
      ECHO,
      { accept: 'application/json;q=0.5, application/graphql-response+json;q=0.9' },
    ],
    ['a media type that the gateway does not have', ECHO, { accept: 'text/csv' }],
    ['a page of an allowed origin', ECHO, { origin: 'https://front.example' }],
    ['a page of another origin', ECHO, { origin: 'https://other.example' }],
    ['a small response', ECHO, { 'accept-encoding': 'br, gzip' }],
    ['br', ITEMS, { 'accept-encoding': 'gzip, deflate, br' }],
    ['gzip', ITEMS, { 'accept-encoding': 'gzip' }],
    ['deflate', ITEMS, { 'accept-encoding': 'deflate' }],
    ['encodings with weights', ITEMS, { 'accept-encoding': 'br;q=0.1, gzip;q=0.9' }],
    ['a refused encoding', ITEMS, { 'accept-encoding': 'br;q=0, gzip' }],
    ['any encoding', ITEMS, { 'accept-encoding': '*' }],
    ['no encoding', ITEMS, { 'accept-encoding': 'identity' }],
  ])('%s', async (_what, request, headers) => {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    const by = (type: string) => send(body, { ...headers, 'content-type': type });
    await by(FAST); // a first request goes to Express, which prepares the operation for the fast path
    const [fast, express] = [await by(FAST), await by(EXPRESS)];
    expect(comparable(fast)).toEqual(comparable(express));
  });

  it('and count status 499 in the metrics if the client leaves before the response', async () => {
    const body = JSON.stringify({ query: '{ held }' });
    await send(body, { 'content-type': FAST });
    expect(await graph.metrics()).not.toContain('status="499"');
    for (const [at, type] of [FAST, EXPRESS].entries()) {
      const arrived = new Promise<void>((resolve) => (onHeld = resolve));
      const headers = { 'content-type': type };
      const left = http
        .request(`${graph.url}/graphql`, { method: 'POST', headers })
        .on('error', () => undefined);
      left.end(body);
      await arrived;
      left.destroy();
      const counted = new RegExp(
        `request_duration_seconds_count\\{[^}]*door="graphql",[^}]*status="499"[^}]*\\} ${at + 1}$`,
        'm',
      );
      while (!counted.test(await graph.metrics()));
    }
  });
});
