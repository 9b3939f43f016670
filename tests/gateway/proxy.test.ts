import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

/** A service that tells what reached it. */
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

interface Told {
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

const send = (
  headers: Record<string, string>,
  body?: string,
): Promise<{ told: Told; headers: http.IncomingHttpHeaders }> =>
  new Promise((resolve, reject) => {
    const req = http.request(`${graph.url}/gym/things?x=1`, { method: 'POST', headers }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      res.on('end', () => resolve({ told: JSON.parse(text) as Told, headers: res.headers }));
    });
    req.on('error', reject);
    req.end(body);
  });

it('passes a request on without what belongs to the connection alone', async () => {
  const { told, headers } = await send(
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
  expect(told).toMatchObject({
    url: '/things?x=1',
    body: 'hello',
    headers: { 'x-request-id': 'one', 'x-forwarded-prefix': '/gym', 'content-length': '5' },
  });
  expect(told.headers['x-forwarded-for']).toContain('127.0.0.1');
  expect(told.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)/);
  for (const name of ['x-private', 'proxy-authorization', 'te']) expect(told.headers[name]).toBeUndefined();
  expect(told.headers.connection).toBe('keep-alive');
  expect(headers).toMatchObject({ connection: 'close', 'x-of-the-answer': 'kept' });
  for (const name of ['x-of-this-hop', 'proxy-authenticate']) expect(headers[name]).toBeUndefined();
});

it('keeps a connection to its services, whatever its clients do with theirs', async () => {
  let connections = 0;
  service.on('connection', () => (connections += 1));
  for (let i = 0; i < 5; i += 1) await send({ connection: 'close', 'content-length': '2' }, 'hi');
  expect(connections).toBeLessThanOrEqual(1);
});
