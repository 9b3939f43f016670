import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { onThisMachine } from '../support/slow-machine.ts';

/** A service whose answers each test sets by `answer`. */
const service = http.createServer((req, res) => answer(req, res));
let answer: (req: http.IncomingMessage, res: http.ServerResponse) => void;
let graph: OtherGraph;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  graph = await startOtherGraph(
    { some: { typeDefs: 'type Query { a: Int }' } },
    {
      GYM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      CORS_ORIGINS: 'https://front.example',
      SUBGRAPH_MUTATION_TIMEOUT_MILLIS: String(onThisMachine(250)),
    },
  );
});
afterAll(async () => {
  await graph.stop();
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  answer = (_req, res) => void res.end('ok');
});

interface Received {
  status: number | undefined;
  message: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request to the gateway; `send` writes its body. Rejects if the connection closes before the end of the response. */
const ask = (
  options: http.RequestOptions,
  send: (request: http.ClientRequest) => void = (request) => void request.end(),
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(graph.url);
    const request = http.request({ hostname, port, agent: false, ...options }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () =>
        resolve({
          status: res.statusCode,
          message: res.statusMessage,
          headers: res.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on('error', reject);
    send(request);
  });

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Answers with the digest of the body that arrived. */
const digesting: typeof answer = (req, res) => {
  const hash = createHash('sha256');
  req.on('data', (chunk: Buffer) => hash.update(chunk));
  req.on('end', () => res.end(hash.digest('hex')));
};

describe('a body reaches the service unchanged', () => {
  const SMALL = randomBytes(500);
  const LARGE = randomBytes(3_000_000);
  it.each<[string, Buffer, http.OutgoingHttpHeaders]>([
    ['an empty one', Buffer.alloc(0), { 'content-length': 0 }],
    ['a small one', SMALL, { 'content-length': SMALL.length }],
    ['a small one without a length', SMALL, {}],
    ['a large one', LARGE, { 'content-length': LARGE.length }],
    ['a large one without a length', LARGE, {}],
    ['one with Expect: 100-continue', SMALL, { 'content-length': SMALL.length, expect: '100-continue' }],
  ])('%s', async (_what, body, headers) => {
    answer = digesting;
    const request = { method: 'POST', path: '/gym/things', headers };
    const { status, body: digest } = await ask(request, (sent) => {
      sent.write(body.subarray(0, body.length / 2));
      sent.end(body.subarray(body.length / 2));
    });
    expect([status, digest.toString()]).toEqual([200, digestOf(body)]);
  });

  it('also that of a DELETE and of a GET', async () => {
    answer = digesting;
    for (const method of ['DELETE', 'GET']) {
      const headers = { 'content-length': SMALL.length };
      const { body } = await ask({ method, path: '/gym/things', headers }, (sent) => sent.end(SMALL));
      expect(body.toString()).toBe(digestOf(SMALL));
    }
  });
});

describe('a response reaches the client', () => {
  it('with its status, reason and repeated headers', async () => {
    answer = (_req, res) => {
      res.writeHead(418, 'Of the service', {
        'Set-Cookie': ['a=1', 'b=2'],
        'X-Many': ['1', '2'],
        ETag: '"1"',
      });
      res.end('{}');
    };
    const { status, message, headers, body } = await ask({ path: '/gym/things' });
    expect({ status, message, body: body.toString() }).toEqual({
      status: 418,
      message: 'Of the service',
      body: '{}',
    });
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-many': '1, 2', etag: '"1"' });
  });

  it('with the headers that every response of the gateway has, unless the service replaces them', async () => {
    answer = (_req, res) => res.writeHead(200, { 'api-version': '9', vary: 'Accept' }).end('ok');
    const origin = 'https://front.example';
    const { headers } = await ask({ path: '/gym/things', headers: { origin, 'x-request-id': 'mine' } });
    expect(headers).toMatchObject({
      'api-version': '9',
      'access-control-allow-origin': origin,
      'x-content-type-options': 'nosniff',
      'x-request-id': 'mine',
    });
    expect(headers.vary).toMatch(/^Accept\b/);
  });

  it.each<[string, number, string]>([
    ['HEAD', 200, ''],
    ['GET', 204, ''],
    ['GET', 304, ''],
  ])('without a body: %s %d', async (method, status, body) => {
    answer = (_req, res) => void res.writeHead(status, { ETag: '"1"' }).end();
    const received = await ask({ method, path: '/gym/things' });
    expect([received.status, received.body.toString(), received.headers.etag]).toEqual([status, body, '"1"']);
  });

  it('in parts, as the service sends them', async () => {
    let next: (() => void) | undefined;
    answer = (_req, res) => {
      res.write('one');
      next = () => res.end('two');
    };
    const { hostname, port } = new URL(graph.url);
    const [response] = (await once(
      http.get({ hostname, port, path: '/gym/things', agent: false }),
      'response',
    )) as [http.IncomingMessage];
    expect(String((await once(response, 'data'))[0])).toBe('one');
    next?.();
    expect(String((await once(response, 'data'))[0])).toBe('two');
  });

  it('before the body of the request is complete, if the service does not wait for it', async () => {
    answer = (_req, res) => res.writeHead(413).end('too large');
    const headers = { 'content-length': 5_000_000 };
    let sent: http.ClientRequest | undefined;
    const { status, body } = await ask({ method: 'POST', path: '/gym/things', headers }, (request) => {
      sent = request;
      request.write(randomBytes(200_000));
    });
    expect([status, body.toString()]).toEqual([413, 'too large']);
    sent?.destroy();
  });
});

describe('paths below the prefix of a service', () => {
  it.each([
    ['/gym', '/'],
    ['/gym?x=1', '/?x=1'],
    ['/gym/', '/'],
    ['/GYM/Things', '/Things'],
    ['/gym/a%20b?c=%2F', '/a%20b?c=%2F'],
    ['/gym//things', '//things'],
  ])('%s reaches the service as %s', async (path, expected) => {
    answer = (req, res) => void res.end(req.url);
    expect((await ask({ path })).body.toString()).toBe(expected);
  });

  it('do not include a path that only begins with the same letters', async () => {
    expect((await ask({ path: '/gymnastics/things' })).status).toBe(404);
  });

  it('get their answers to preflight requests from the gateway', async () => {
    const headers = {
      origin: 'https://front.example',
      'access-control-request-method': 'PUT',
    };
    let reached = false;
    answer = (_req, res) => {
      reached = true;
      res.end();
    };
    const { status, headers: answered } = await ask({ method: 'OPTIONS', path: '/gym/things', headers });
    expect([status, answered['access-control-allow-origin'], reached]).toEqual([204, headers.origin, false]);
  });
});

describe('if the service fails', () => {
  const problem = (status: number, code: string) => ({
    status,
    title: expect.any(String),
    type: `urn:fitness-platform:error:${code}`,
    detail: 'The gym service does not answer; try again in a moment.',
    instance: '/gym/things',
    code,
    requestId: 'mine',
  });
  const askWithId = () => ask({ path: '/gym/things?x=1', headers: { 'x-request-id': 'mine' } });

  it('without an answer, the client gets 503 with Retry-After', async () => {
    answer = (req) => void req.socket.destroy();
    const { status, headers, body } = await askWithId();
    expect(JSON.parse(body.toString())).toEqual(problem(503, 'UPSTREAM_UNAVAILABLE'));
    const { date, 'content-length': length, etag, ...rest } = headers;
    expect([typeof date, Number(length), etag?.slice(0, 3)]).toEqual(['string', body.length, 'W/"']);
    expect({ status, rest }).toMatchObject({
      status: 503,
      rest: {
        'content-type': 'application/problem+json; charset=utf-8',
        'retry-after': '1',
        'x-request-id': 'mine',
        'api-version': '1',
        'x-frame-options': 'SAMEORIGIN',
        vary: 'Origin, Accept-Encoding',
      },
    });
  });

  it('because it does not answer in time, the client gets 504, and the request is not repeated', async () => {
    let requests = 0;
    answer = () => (requests += 1);
    const { status, body } = await askWithId();
    expect([status, JSON.parse(body.toString())]).toEqual([504, problem(504, 'UPSTREAM_TIMEOUT')]);
    expect(requests).toBe(1);
  });

  it.each([
    ['GET', 200, 2],
    ['HEAD', 200, 2],
    ['POST', 503, 1],
    ['PUT', 503, 1],
    ['DELETE', 503, 1],
  ])(
    'by closing the connection without an answer: %s gets %d after %d attempts',
    async (method, expected, attempts) => {
      answer = (_req, res) => void res.end('ok');
      await ask({ path: '/gym/things' }); // the gateway keeps this connection
      const connections: unknown[] = [];
      answer = (req, res) => {
        connections.push(req.socket);
        if (connections.length === 1) req.socket.destroy();
        else res.end('ok');
      };
      const { status } = await ask({ method, path: '/gym/things' }, (request) =>
        request.end(method === 'POST' ? '{}' : undefined),
      );
      expect([status, connections.length]).toEqual([expected, attempts]);
      expect(new Set(connections).size).toBe(attempts);
    },
  );

  it('in the middle of its answer, the connection to the client is closed, too', async () => {
    answer = (_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.destroy());
    };
    await expect(ask({ path: '/gym/things' })).rejects.toThrow(/aborted|hang up/);
  });

  it('the next request reaches the service again', async () => {
    answer = (req) => void req.socket.destroy();
    await askWithId();
    answer = (_req, res) => void res.end('ok');
    expect((await askWithId()).status).toBe(200);
  });
});

describe('metrics', () => {
  const counted = async (labels: string): Promise<number> =>
    Number(
      new RegExp(`request_duration_seconds_count\\{[^}]*${labels}[^}]*\\} (\\d+)`).exec(
        await graph.metrics(),
      )?.[1] ?? 0,
    );

  it('count a request by its service, method and status', async () => {
    answer = (_req, res) => res.writeHead(202).end();
    await ask({ method: 'PUT', path: '/gym/things/1' });
    expect(
      await eventually(async () => (await counted('door="rest",operation="PUT /gym",status="202"')) === 1),
    ).toBe(true);
  });
});

describe('a gateway with one connection to each service', () => {
  let narrow: OtherGraph;
  beforeAll(async () => {
    narrow = await startOtherGraph(
      { some: { typeDefs: 'type Query { a: Int }' } },
      {
        GYM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        SUBGRAPH_CONNECTIONS: '1',
        SUBGRAPH_MUTATION_TIMEOUT_MILLIS: String(onThisMachine(250)),
      },
    );
  });
  afterAll(() => narrow.stop());

  it('refuses requests beyond its limit, also after clients have left before their bodies had arrived', async () => {
    const { hostname, port } = new URL(narrow.url);
    for (let index = 0; index < 40; index += 1) {
      const socket = net.connect(Number(port), hostname);
      socket.write('POST /gym/left HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
      await once(socket, 'connect');
      await eventually(async () => socket.bytesWritten > 0);
      socket.destroy();
    }
    const LEFT = /request_duration_seconds_count\{[^}]*operation="POST \/gym",status="499"[^}]*\} (\d+)/;
    await eventually(async () => Number(LEFT.exec(await narrow.metrics())?.[1] ?? 0) >= 40);
    answer = () => undefined; // no answer
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${narrow.url}/gym/things`).then(({ status }) => status)),
    );
    expect(answers.filter((status) => status === 503)).toHaveLength(40 - 33); // 1 in progress and 32 waiting
  });

  it('closes a WebSocket whose upgrade the service does not answer', async () => {
    const upgraded: Duplex[] = [];
    const onUpgrade = (_req: http.IncomingMessage, held: Duplex): number => upgraded.push(held);
    service.on('upgrade', onUpgrade);
    const { hostname, port } = new URL(narrow.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      'GET /gym/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(socket.resume(), 'close');
    expect(socket.bytesRead).toBe(0);
    service.off('upgrade', onUpgrade);
    for (const held of upgraded) held.destroy();
  });
});
