import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

/** Linux takes every address of 127.0.0.0/8 as a source; only the first one is a trusted proxy here. */
const PROXY = '127.0.0.1';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity'],
    gateway: true,
    env: { RATE_LIMITS: 'on', TRUSTED_PROXIES: PROXY, SOCKETS_PER_ADDRESS: '4' },
  });
}, 60_000);
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

/** Connects and asks for the health of the server: its status, or nothing if the server hangs up. */
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
  it('are bounded, those of another address are not concerned', async () => {
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

  it('are free again when they close', async () => {
    expect(await connectAll(service, '127.0.0.7', 4)).toEqual(['200', '200', '200', '200']);
    const [first] = opened.splice(0, 1);
    first?.destroy();
    // The server notices a moment later.
    let answer = 'closed';
    while (answer === 'closed') answer = await connect(service, '127.0.0.7');
    expect(answer).toBe('200');
  });

  it('are ten times as many for a trusted proxy', async () => {
    const answers = await connectAll(service, PROXY, 12);
    expect(new Set(answers)).toEqual(new Set(['200']));
  });
});

it('counts the gateway for a proxy at the services, although its address is not trusted', async () => {
  const own = await startPlatform({
    services: ['identity'],
    gateway: true,
    env: { RATE_LIMITS: 'on', TRUSTED_PROXIES: '192.0.2.1', SOCKETS_PER_ADDRESS: '6' },
  });
  try {
    // Each upload is a connection of its own to the service as long as its body is not complete.
    const { port } = new URL(own.url('gateway'));
    const open = Array.from({ length: 12 }, (_none, index) => {
      const socket = net.connect({
        port: Number(port),
        host: '127.0.0.1',
        localAddress: `127.0.1.${index + 1}`,
      });
      socket.on('error', () => undefined);
      const answer = once(socket, 'data').then(([data]) => String(data).slice(9, 12));
      socket.write(
        'POST /identity/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
      );
      return { socket, answer };
    });
    for (const { socket } of open) socket.write('}');
    expect(await Promise.all(open.map(({ answer }) => answer))).toEqual(open.map(() => '400'));
    for (const { socket } of open) socket.destroy();
  } finally {
    await own.stop();
  }
});
