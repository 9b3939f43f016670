import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

/** Linux accepts every address of 127.0.0.0/8 as a source. `platform` trusts only this one as a proxy. */
const PROXY = '127.0.0.1';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity'],
    gateway: true,
    env: { RATE_LIMITS: 'on', TRUSTED_PROXIES: PROXY, SOCKETS_PER_ADDRESS: '4' },
  });
});
afterAll(() => platform.stop());

const opened: net.Socket[] = [];
afterEach(async () => {
  await Promise.all(
    opened.splice(0).map(async (socket) => {
      if (socket.closed) return;
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }),
  );
});

/** Connects and requests the health of the server. @returns its status, or `closed` if the server closes the connection */
async function connect(service: Called, localAddress: string): Promise<string> {
  const { port } = new URL(platform.url(service));
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', localAddress });
  opened.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  const answer = once(socket, 'data').then(([data]) => String(data).slice(9, 12));
  return Promise.race([answer, once(socket, 'close').then(() => 'closed')]);
}

const connectAll = async (service: Called, address: string, times: number): Promise<string[]> => {
  const answers: string[] = [];
  for (let count = 0; count < times; count += 1) answers.push(await connect(service, address));
  return answers;
};

describe.each(['gateway', 'identity'] as const)('the connections of one address to %s', (service) => {
  it('are bounded, and those of another address are not affected', async () => {
    expect(await connectAll(service, '127.0.0.5', 6)).toEqual([
      '200',
      '200',
      '200',
      '200',
      'closed',
      'closed',
    ]);
    expect(await connect(service, '127.0.0.6')).toBe('200');
  });

  it('are no longer counted once they are closed', async () => {
    expect(await connectAll(service, '127.0.0.7', 4)).toEqual(['200', '200', '200', '200']);
    const [first] = opened.splice(0, 1);
    first?.destroy();
    // The server notices the end of the connection a moment later.
    let answer = 'closed';
    while (answer === 'closed') answer = await connect(service, '127.0.0.7');
    expect(answer).toBe('200');
  });

  it('may be more for a trusted proxy than for a client', async () => {
    const answers = await connectAll(service, PROXY, 12);
    expect(new Set(answers)).toEqual(new Set(['200']));
  });
});

it('the services treat the gateway as a proxy, although its address is not trusted', async () => {
  const own = await startPlatform({
    services: ['identity', 'squad'],
    gateway: true,
    env: { RATE_LIMITS: 'on', TRUSTED_PROXIES: '192.0.2.1', SOCKETS_PER_ADDRESS: '4' },
  });
  const sockets: WebSocket[] = [];
  try {
    // Each socket needs its own connection between the gateway and the service.
    const url = `${own.url('gateway').replace('http', 'ws')}/squad/socket`;
    for (let client = 1; client <= 8; client += 1) {
      const socket = new WebSocket(url, 'squad.v1', { localAddress: `127.0.1.${client}` });
      sockets.push(socket);
      await once(socket, 'open');
    }
    expect(sockets.map(({ readyState }) => readyState)).toEqual(sockets.map(() => WebSocket.OPEN));
  } finally {
    for (const socket of sockets) socket.terminate();
    await own.stop();
  }
});
