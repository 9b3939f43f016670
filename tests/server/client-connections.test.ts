import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ClientConnections } from '../../server/http/client-connections.ts';

const GRACE_MILLIS = 60_000; // 1 min; the tests end much earlier
const opened: { server: http.Server; agent: http.Agent }[] = [];
afterEach(() => {
  for (const { server, agent } of opened.splice(0)) {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  }
});

interface TestServer {
  connections: ClientConnections;
  port: number;
  /** Sends a request over a kept-alive connection, if there is one. */
  get(): Promise<{ status: number | undefined; connection: string | undefined; isReused: boolean }>;
}

async function start(listener: http.RequestListener): Promise<TestServer> {
  const server = http.createServer(listener);
  const connections = new ClientConnections(server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  opened.push({ server, agent });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connections,
    port,
    async get() {
      const request = http.get({ host: '127.0.0.1', port, agent });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      await once(response, 'end');
      const { statusCode: status, headers } = response;
      return { status, connection: headers.connection, isReused: request.reusedSocket };
    },
  };
}

describe('the connections of a server that stops', () => {
  it('are accepted and answered during the drain, and each answer closes its connection', async () => {
    const { connections, get } = await start((_req, res) => void res.end('ok'));
    expect(await get()).toEqual({ status: 200, connection: 'keep-alive', isReused: false });
    connections.drain();
    expect(await get()).toEqual({ status: 200, connection: 'close', isReused: true });
    expect(await get()).toEqual({ status: 200, connection: 'close', isReused: false });
  });

  it('are closed after an answer that was being prepared when the drain began', async () => {
    const arrived = Promise.withResolvers<http.ServerResponse>();
    const { connections, get } = await start((_req, res) => arrived.resolve(res));
    const answer = get();
    const res = await arrived.promise;
    connections.drain();
    res.end('ok');
    expect(await answer).toMatchObject({ status: 200, connection: 'close' });
  });

  it('are closed at once if they have no request, and after the answer if they have one', async () => {
    const arrived = Promise.withResolvers<http.ServerResponse>();
    const { connections, get, port } = await start((_req, res) => arrived.resolve(res));
    const idle = net.connect(port, '127.0.0.1');
    await once(idle, 'connect');
    const answer = get();
    const res = await arrived.promise;
    const closed = connections.close(GRACE_MILLIS);
    await once(idle, 'close');
    const refused = net.connect(port, '127.0.0.1');
    await expect(once(refused, 'connect')).rejects.toThrow('ECONNREFUSED');
    res.end('ok');
    expect(await answer).toMatchObject({ status: 200 });
    await closed;
  });

  it('are not closed before a client that reads slowly has received a large answer completely', async () => {
    const BYTES = 30_000_000;
    const { connections, port } = await start((_req, res) => void res.end(Buffer.alloc(BYTES)));
    const client = net.connect(port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'readable'); // the client reads nothing yet, so that the answer does not fit into the buffers
    const closed = connections.close(GRACE_MILLIS);
    await new Promise((resolve) => setTimeout(resolve, 200)); // several checks for idle connections
    let received = 0;
    client.on('data', (chunk: Buffer) => (received += chunk.length));
    client.resume();
    await once(client, 'close');
    expect(received).toBeGreaterThan(BYTES);
    await closed;
  });

  it('are closed at the end of the grace period even without an answer', async () => {
    const arrived = Promise.withResolvers<http.ServerResponse>();
    const { connections, get } = await start((_req, res) => arrived.resolve(res));
    const answer = get();
    answer.catch(() => undefined);
    await arrived.promise;
    await connections.close(100);
    await expect(answer).rejects.toThrow(/socket hang up|ECONNRESET/);
  });
});
