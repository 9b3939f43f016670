import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

/** A service that returns the request that it received. */
const service = http.createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    res.setHeader('connection', 'keep-alive, x-of-this-hop');
    res.setHeader('x-of-this-hop', 'secret');
    res.setHeader('proxy-authenticate', 'Basic');
    res.setHeader('x-of-the-answer', 'kept');
    res.end(JSON.stringify({ url: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() }));
  });
});
let graph: OtherGraph;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  graph = await startOtherGraph(
    { some: { typeDefs: 'type Query { a: Int }' } },
    { GYM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` },
  );
});
afterAll(async () => {
  await graph.stop();
  service.closeAllConnections();
  service.close();
});

interface Received {
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

const send = (
  headers: Record<string, string>,
  body?: string,
): Promise<{ received: Received; headers: http.IncomingHttpHeaders }> =>
  new Promise((resolve, reject) => {
    const req = http.request(`${graph.url}/gym/things?x=1`, { method: 'POST', headers }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      res.on('end', () => resolve({ received: JSON.parse(text) as Received, headers: res.headers }));
    });
    req.on('error', reject);
    req.end(body);
  });

it('the gateway forwards a request without the headers that apply to its connection only', async () => {
  const { received, headers } = await send(
    {
      connection: 'close, x-private, content-length',
      'x-private': 'for the gateway',
      'proxy-authorization': 'Basic eDp5',
      te: 'trailers',
      'x-request-id': 'one',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'content-type': 'text/plain',
      'content-length': '5',
    },
    'hello',
  );
  expect(received).toMatchObject({
    url: '/things?x=1',
    body: 'hello',
    headers: { 'x-request-id': 'one', 'x-forwarded-prefix': '/gym', 'content-length': '5' },
  });
  expect(received.headers['x-forwarded-for']).toBe('127.0.0.1');
  expect(received.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)/);
  for (const name of ['x-private', 'proxy-authorization', 'te'])
    expect(received.headers[name]).toBeUndefined();
  expect(received.headers.connection).toBe('keep-alive');
  expect(headers).toMatchObject({ connection: 'close', 'x-of-the-answer': 'kept' });
  for (const name of ['x-of-this-hop', 'proxy-authenticate']) expect(headers[name]).toBeUndefined();
});

it('the gateway keeps its connection to a service open if clients close theirs', async () => {
  let connections = 0;
  service.on('connection', () => (connections += 1));
  for (let i = 0; i < 5; i += 1) await send({ connection: 'close', 'content-length': '2' }, 'hi');
  expect(connections).toBeLessThanOrEqual(1);
});

const CLAIMED = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'forged.test',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '444',
  'x-forwarded-prefix': '/forged',
  'x-forwarded-server': 'forged',
  forwarded: 'for=203.0.113.7',
  'x-real-ip': '203.0.113.7',
  'x-on-behalf-of': '01900000-0000-7000-8000-000000000001',
};

/** Sends an upgrade. @returns the request as it reached the service; rejects if the gateway refuses the upgrade */
const upgrade = (path: string, headers: Record<string, string>): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const seen = (request: http.IncomingMessage, socket: { end(text: string): void }): void => {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      resolve(request);
    };
    service.once('upgrade', seen);
    http
      .get({
        hostname: '127.0.0.1',
        port: new URL(graph.url).port,
        path,
        headers: { ...headers, connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      })
      .once('response', ({ statusCode }) => {
        service.off('upgrade', seen);
        reject(new Error(`refused with ${statusCode}`));
      })
      .once('error', () => undefined);
  });

it.each(['request', 'upgrade'])(
  'the gateway sets the forwarding headers of every %s itself',
  async (kind) => {
    const headers =
      kind === 'request'
        ? (await send(CLAIMED)).received.headers
        : (await upgrade('/gym/socket', CLAIMED)).headers;
    const { host } = new URL(graph.url);
    // The test is a trusted proxy of the gateway, so address, host, protocol and prefix of its headers are forwarded.
    expect(headers).toMatchObject({
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'forged.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '443',
      'x-forwarded-prefix': '/forged/gym',
      host,
    });
    for (const name of ['forwarded', 'x-real-ip', 'x-on-behalf-of', 'x-forwarded-server'])
      expect(headers[name]).toBeUndefined();
  },
);

const PRIVATE_PATHS = ['graphql', 'metrics'].flatMap((name) => [
  `/gym/${name}`,
  `/gym/${name}/`,
  `/gym/${name}?query=%7Bgyms%7Bid%7D%7D`,
  `/gym/${name}/more`,
  `/gym/${name}/../things`,
  `/gym//${name}`,
  `/gym/./${name}`,
  `/gym/x/../${name}`,
  `/gym/x/%2e%2e/${name}`,
  `/gym/%2f${name}`,
  `/gym/%${name.codePointAt(0)?.toString(16)}${name.slice(1)}`,
  `/gym/%25${name.codePointAt(0)?.toString(16)}${name.slice(1)}`,
  `/gym/${name.toUpperCase()}`,
  `/GYM/${name}`,
  `/gym/\\${name}`,
  `/gym/${name};x=1`,
]);

/** The status of a POST whose path is sent as it is: `fetch` would normalize it. */
const statusOf = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(graph.url);
    const request = http.request({ hostname, port, path, method: 'POST' }, (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    request.once('error', reject).end();
  });

it.each(PRIVATE_PATHS)('the gateway does not forward %s', async (path) => {
  let reached = false;
  const reach = (): void => void (reached = true);
  service.once('request', reach);
  expect(await statusOf(path)).toBe(404);
  service.off('request', reach);
  expect(reached).toBe(false);
  await expect(upgrade(path, {})).rejects.toThrow('refused with 404');
});

it.each(['/gym/graphqls', '/gym/things/graphql', '/gym/metricsx', '/gym/a%20b?path=/graphql'])(
  'the gateway forwards %s',
  async (path) => expect(await statusOf(path)).toBe(200),
);
