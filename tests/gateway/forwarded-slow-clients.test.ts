import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { onThisMachine } from '../support/slow-machine.ts';

/** A service whose answers each test sets by `answer`. */
const service = http.createServer((req, res) => answer(req, res));
let answer: (req: http.IncomingMessage, res: http.ServerResponse) => void;
let graph: OtherGraph;
let serviceUrl: string;
const mutationMillis = onThisMachine(250);
/** The gateway's time limit for a service that sends and receives nothing. */
const idleMillis = mutationMillis * 6;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  graph = await startOtherGraph(
    { some: { typeDefs: 'type Query { a: Int }' } },
    { GYM_URL: serviceUrl, SUBGRAPH_MUTATION_TIMEOUT_MILLIS: String(mutationMillis) },
  );
});
afterAll(async () => {
  await graph.stop();
  service.closeAllConnections();
  service.close();
});

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** More than the buffers of all connections between the service and the client. */
const LARGE = randomBytes(30_000_000);

const counted = async (labels: string): Promise<number> =>
  Number(
    new RegExp(`request_duration_seconds_count\\{[^}]*${labels}[^}]*\\} (\\d+)`).exec(
      await graph.metrics(),
    )?.[1] ?? 0,
  );

/** The response to this path, of which the client has read nothing yet. */
const unreadResponse = async (url: string): Promise<http.IncomingMessage> => {
  const [response] = (await once(http.get(url, { agent: false }), 'response')) as [http.IncomingMessage];
  return response;
};
const wholeOf = async (response: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

describe('a client that reads slowly', () => {
  it('gets a response that is larger than all buffers', async () => {
    const bytes = randomBytes(8_000_000);
    let written = false;
    answer = (_req, res) => void res.end(bytes, () => (written = true));
    const { hostname, port } = new URL(graph.url);
    const request = http.get({ hostname, port, path: '/gym/things', agent: false });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(written).toBe(false); // while the client reads nothing, the gateway does not read the whole response
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    expect(digestOf(Buffer.concat(chunks))).toBe(digestOf(bytes));
  });

  it('gets the whole response, if it pauses for longer than the time limit of the service', async () => {
    answer = (_req, res) => void res.end(LARGE);
    const response = await unreadResponse(`${graph.url}/gym/things`);
    await wait(idleMillis * 2);
    expect(digestOf(await wholeOf(response))).toBe(digestOf(LARGE));
  });
});

describe('a client that stops sending its body', () => {
  it('gets 408, not an error of the service', async () => {
    answer = (req) => void req.on('error', () => undefined).resume();
    const { hostname, port } = new URL(graph.url);
    const socket = net.connect(Number(port), hostname);
    socket.write('POST /gym/stopped HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n');
    socket.write(randomBytes(2_000_000));
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    const received = Buffer.concat(parts).toString();
    expect(received).toMatch(/^HTTP\/1.1 408 /);
    expect(received).toContain('"code":"REQUEST_TIMEOUT"');
    expect(await eventually(async () => (await counted('operation="POST /gym",status="408"')) === 1)).toBe(
      true,
    );
  });

  it('gets 504 if it stops because the service does not read the body', async () => {
    answer = () => undefined;
    const { hostname, port } = new URL(graph.url);
    const [response] = (await once(
      http
        .request({ hostname, port, method: 'POST', path: '/gym/things', agent: false })
        .on('error', () => undefined)
        .end(LARGE),
      'response',
    )) as [http.IncomingMessage];
    expect(response.statusCode).toBe(504);
    response.destroy();
  });
});

describe('a client that leaves', () => {
  it('is counted as 499, and the request to the service is closed', async () => {
    const arrived = new Promise<http.ServerResponse>((resolve) => {
      answer = (_req, res) => resolve(res);
    });
    const { hostname, port } = new URL(graph.url);
    const left = http.request({ hostname, port, method: 'PATCH', path: '/gym/things' });
    left.on('error', () => undefined).end();
    const atService = await arrived;
    left.destroy();
    await once(atService, 'close');
    expect(
      await eventually(async () => (await counted('door="rest",operation="PATCH /gym",status="499"')) === 1),
    ).toBe(true);
  });

  it('in the middle of its body, ends the request to the service, too', async () => {
    const arrived = new Promise<http.IncomingMessage>((resolve) => {
      answer = (req) => resolve(req);
    });
    const { hostname, port } = new URL(graph.url);
    const headers = { 'content-length': 1_000_000 };
    const left = http.request({ hostname, port, method: 'PATCH', path: '/gym/things', headers });
    left.on('error', () => undefined).write(randomBytes(100_000));
    const atService = await arrived;
    const closed = new Promise((resolve) => atService.on('error', () => undefined).once('close', resolve));
    atService.resume();
    left.destroy();
    await closed;
    expect(atService.complete).toBe(false);
  });
});
