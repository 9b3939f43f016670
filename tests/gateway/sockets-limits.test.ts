import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'squad'],
    gateway: true,
    env: {
      RATE_LIMITS: 'on',
      TRUSTED_PROXIES: '127.0.0.1',
      SOCKETS_PER_ADDRESS: '12',
      SOCKETS_PER_USER: '3',
      OPERATIONS_PER_SOCKET: '5',
    },
  });
});
afterAll(() => platform.stop());

const opened: WebSocket[] = [];

/** Opens a socket as a client behind a trusted proxy. @returns the socket, or the status with which it was refused */
function open(path: string, protocol: string, clientAddress: string, at: 'gateway' | 'squad' = 'gateway') {
  const socket = new WebSocket(`${platform.url(at).replace('http', 'ws')}${path}`, protocol, {
    headers: { 'x-forwarded-for': clientAddress },
  });
  opened.push(socket);
  socket.on('error', () => undefined);
  return new Promise<WebSocket | number>((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
  });
}

async function closeAll(): Promise<void> {
  for (const socket of opened.splice(0)) socket.terminate();
  // The servers notice the end of the sockets a moment later.
  for (;;) {
    const { body } = await platform.rest('gateway', 'GET', '/metrics');
    const { body: ofSquad } = await platform.rest('squad', 'GET', '/metrics');
    const sockets = [...`${body}\n${ofSquad}`.matchAll(/^open_sockets\{[^}]*\} (\d+)/gm)].map(([, count]) =>
      Number(count),
    );
    if (sockets.every((count) => count <= 2)) return; // The gateway's own sockets to squad stay open.
  }
}

const DOORS: [string, string, 'gateway' | 'squad'][] = [
  ['/graphql', 'graphql-transport-ws', 'gateway'],
  ['/squad/socket', 'squad.v1', 'gateway'],
  ['/graphql', 'graphql-transport-ws', 'squad'],
  ['/socket', 'squad.v1', 'squad'],
];

describe('the sockets of one address', () => {
  it.each(DOORS)(
    'are bounded at %s (%s) of %s, and those of another address are not affected',
    async (path, protocol, at) => {
      const answers = [];
      for (let count = 0; count < 14; count += 1) answers.push(await open(path, protocol, '203.0.113.5', at));
      expect(answers.filter((answer) => typeof answer === 'number')).toEqual([429, 429]);
      expect(typeof (await open(path, protocol, '203.0.113.6', at))).toBe('object');
      await closeAll();
      expect(typeof (await open(path, protocol, '203.0.113.5', at))).toBe('object');
      await closeAll();
    },
  );
});

describe('the sockets of one user', () => {
  const connect = async (token: string): Promise<number | 'acknowledged'> => {
    const socket = (await open('/graphql', 'graphql-transport-ws', '203.0.113.7')) as WebSocket;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    return Promise.race([
      once(socket, 'message').then(() => 'acknowledged' as const),
      once(socket, 'close').then(([code]) => code as number),
    ]);
  };
  const authenticate = async (token: string): Promise<number | 'acknowledged'> => {
    const socket = (await open('/socket', 'squad.v1', '203.0.113.8', 'squad')) as WebSocket;
    socket.send(JSON.stringify({ event: 'authenticate', data: { token }, id: 1 }));
    return Promise.race([
      once(socket, 'message').then(([data]) =>
        (JSON.parse((data as Buffer).toString()) as { event: string }).event === 'ack'
          ? ('acknowledged' as const)
          : 0,
      ),
      once(socket, 'close').then(([code]) => code as number),
    ]);
  };

  it.each([
    ['of the graph', connect, 4430],
    ['of squad', authenticate, 4430],
  ])('%s are bounded; after they are closed, another may open', async (_which, begin, refusal) => {
    const token = await platform.demo('maya@iron.test');
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await begin(token));
    expect(answers).toEqual(['acknowledged', 'acknowledged', 'acknowledged', refusal]);
    expect(await begin(await platform.demo('leo@iron.test'))).toBe('acknowledged');
    await closeAll();
    expect(await begin(token)).toBe('acknowledged');
    await closeAll();
  });
});

it.each(['gateway', 'squad'] as const)('the subscriptions on one socket of %s are bounded', async (at) => {
  const token = await platform.demo('maya@iron.test');
  const socket = (await open('/graphql', 'graphql-transport-ws', '203.0.113.9', at)) as WebSocket;
  const send = (message: object): void => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
  await once(socket, 'message');
  const refused = new Promise<{ id: string; payload: { extensions: { code: string } }[] }>((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString());
      if (message.type === 'error') resolve(message);
    });
  });
  for (let id = 1; id <= 6; id += 1)
    send({
      type: 'subscribe',
      id: String(id),
      payload: { query: 'subscription { onlineUsersUpdated { seq } }' },
    });
  expect(await refused).toMatchObject({ id: '6', payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
  expect(socket.readyState).toBe(WebSocket.OPEN);
  await closeAll();
});

it("the subscriptions on the gateway's own socket to a service are not bounded", async () => {
  const tokens = await Promise.all([platform.demo('maya@iron.test'), platform.demo('leo@iron.test')]);
  const firsts = await Promise.all(
    [0, 1].flatMap((who) =>
      [0, 1].map(async (which) => {
        const socket = (await open(
          '/graphql',
          'graphql-transport-ws',
          `203.0.113.${20 + who * 2 + which}`,
        )) as WebSocket;
        socket.send(
          JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${tokens[who]}` } }),
        );
        await once(socket, 'message');
        const answers = new Map<string, string>();
        const all = new Promise<string[]>((resolve) => {
          socket.on('message', (data) => {
            const { type, id } = JSON.parse((data as Buffer).toString());
            if (type === 'next' || type === 'error') answers.set(id, type);
            if (answers.size === 5) resolve([...answers.values()]);
          });
        });
        for (let id = 0; id < 5; id += 1)
          socket.send(
            JSON.stringify({
              type: 'subscribe',
              id: String(id),
              // The aliases differ, so that the gateway does not share these subscriptions.
              payload: {
                query: `subscription { s${who}${which}${id}: onlineUsersUpdated { seq users { user { id isMe: displayName } } } }`,
              },
            }),
          );
        return all;
      }),
    ),
  );
  expect(new Set(firsts.flat())).toEqual(new Set(['next']));
  await closeAll();
});
