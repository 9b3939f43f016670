import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { createLogger } from '#server/observability/logger.ts';
import { UpstreamSockets } from '../../gateway/subscriptions/upstream/upstream-sockets.ts';
import { eventually } from '../support/eventually.ts';

/** A subgraph that accepts every socket and subscription, and sends no events. */
let subgraph: WebSocketServer;
beforeAll(async () => {
  subgraph = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  subgraph.on('connection', (socket) =>
    socket.on('message', (bytes: Buffer) => {
      if (bytes.toString().includes('connection_init')) socket.send('{"type":"connection_ack"}');
    }),
  );
  await once(subgraph, 'listening');
});
afterAll(() => subgraph.close());

/** How many timers `work` has begun that still keep this process running. */
async function timersLeftBy(work: () => Promise<void>): Promise<number> {
  const begun = new Map<number, NodeJS.Timeout>();
  const hook = createHook({
    init: (id, type, _trigger, resource) => type === 'Timeout' && begun.set(id, resource as NodeJS.Timeout),
    destroy: (id) => begun.delete(id),
  }).enable();
  await work();
  await new Promise(setImmediate); // a timer that was cleared is destroyed in the next turn
  hook.disable();
  return [...begun.values()].filter((timer) => timer.hasRef()).length;
}

it('upstream sockets leave no timer when they are closed, also shortly after the end of a subscription', async () => {
  const left = await timersLeftBy(async () => {
    const tokens = { get: async () => 'token', refused: () => undefined };
    const sockets = new UpstreamSockets({ log: createLogger('gateway', 'silent'), tokens });
    const url = `http://127.0.0.1:${(subgraph.address() as AddressInfo).port}/graphql`;
    const socket = sockets.of(url, 'viewers');
    const ignore = (): void => undefined;
    const end = socket.client.subscribe(
      { query: 'subscription { a }' },
      { next: ignore, error: ignore, complete: ignore },
    );
    await eventually(async () => socket.isConnected);
    end();
    await new Promise(setImmediate); // now graphql-ws waits for a further subscription, by a timer
    await sockets.close();
    await eventually(async () => !socket.isConnected);
  });
  expect(left).toBe(0);
});
