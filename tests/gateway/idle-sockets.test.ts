import { once } from 'node:events';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { WebSocket } from 'ws';
import { serviceTokens } from '#server/auth/service-tokens.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { itConcurrently } from '../support/it-concurrently.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { onThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    gateway: true,
    env: { SOCKET_IDLE_MILLIS: String(onThisMachine(500)) },
  });
});
afterAll(() => platform.stop());

interface Opened {
  socket: WebSocket;
  /** Resolves to the close code of the socket: 4431 if it had no operation for SOCKET_IDLE_MILLIS. */
  closed: Promise<number>;
}

async function open(service: 'gateway' | 'squad', connectionParams: object = {}): Promise<Opened> {
  const socket = new WebSocket(
    `${platform.url(service).replace('http', 'ws')}/graphql`,
    'graphql-transport-ws',
  );
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: connectionParams }));
  await once(socket, 'message');
  return { socket, closed };
}

for (const service of ['gateway', 'squad'] as const)
  itConcurrently(
    `a GraphQL socket of ${service} is closed if it has no operation, and stays open while it has a subscription`,
    async () => {
      const busy = await open(service, { Authorization: `Bearer ${await platform.demo('maya@iron.test')}` });
      const query = 'subscription { onlineUsersUpdated { seq } }';
      busy.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
      const idle = await open(service);
      expect(await idle.closed).toBe(4431);
      expect(busy.socket.readyState).toBe(WebSocket.OPEN);
      busy.socket.send('{"type":"complete","id":"1"}');
      expect(await busy.closed).toBe(4431);
    },
  );

/** The connection parameters in which the gateway sends its service token. */
for (const parameter of ['gateway', 'gatewayCarrier'])
  itConcurrently(
    `the gateway's own socket to a service (${parameter}) stays open without an operation`,
    async () => {
      const token = await serviceTokens('gateway', readSettings(serverSettings, platform.env)).get();
      const own = await open('squad', { [parameter]: `Bearer ${token}` });
      const idle = await open('squad');
      expect(await idle.closed).toBe(4431);
      expect(own.socket.readyState).toBe(WebSocket.OPEN);
      own.socket.terminate();
    },
  );
