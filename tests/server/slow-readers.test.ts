import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect } from '@jest/globals';
import { FORWARDED_PROOF } from '#server/http/forwarding-proof.ts';
import { httpServerFor } from '#server/http/listen.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { itConcurrently } from '../support/it-concurrently.ts';

/** More than the buffers of a connection. */
const LARGE = randomBytes(30_000_000);
const PROOF = 'proof-of-the-gateway';
/** How long the servers wait for a client that reads nothing. */
const PATIENCE_MILLIS = 3_000;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The response of a server that sends these parts; the client has read nothing of it yet. */
async function unreadResponse(
  headers: Record<string, string> = {},
  parts: readonly Buffer[] = [LARGE],
): Promise<http.IncomingMessage> {
  const server = httpServerFor(
    async (_req, res) => {
      for (const part of parts) {
        res.write(part);
        await wait(100); // a part is written while the one before is being sent
      }
      res.end();
    },
    { rateLimits: false, socketsPerAddress: 10 },
    new RequestOrigins([], [PROOF]),
    { readingPatienceMillis: PATIENCE_MILLIS },
  );
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = http.get({ port, host: '127.0.0.1', headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return response;
}

async function sizeOf(response: http.IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of response) size += (chunk as Buffer).length;
  return size;
}

itConcurrently('a client that does not read an answer is disconnected', async () => {
  const response = await unreadResponse();
  await wait(PATIENCE_MILLIS + 3_000);
  await expect(sizeOf(response)).rejects.toThrow('aborted');
});

itConcurrently('a client that stops in the middle of an answer is disconnected', async () => {
  const response = await unreadResponse();
  await wait(PATIENCE_MILLIS - 1_500); // so that the server waits for the client before it reads the first third
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGE.length / 3) response.pause();
  });
  await once(response, 'pause');
  response.removeAllListeners('data');
  await wait(2 * PATIENCE_MILLIS + 3_000);
  await expect(sizeOf(response)).rejects.toThrow('aborted');
});

itConcurrently('a client that pauses, and reads slowly but steadily, gets the whole answer', async () => {
  const response = await unreadResponse();
  await wait(PATIENCE_MILLIS - 1_500);
  const until = performance.now() + PATIENCE_MILLIS + 3_000;
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (performance.now() < until) await wait(20);
  }
  expect(size).toBe(LARGE.length);
});

itConcurrently('a client that reads steadily gets an answer of a part and a larger one', async () => {
  const parts = [LARGE.subarray(0, 16_000_000), LARGE];
  const response = await unreadResponse({}, parts);
  const until = performance.now() + PATIENCE_MILLIS + 3_000;
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (performance.now() < until) await wait(20);
  }
  expect(size).toBe(16_000_000 + LARGE.length);
});

itConcurrently('the gateway may wait for its own clients', async () => {
  const response = await unreadResponse({ [FORWARDED_PROOF]: PROOF });
  await wait(PATIENCE_MILLIS + 3_000);
  expect(await sizeOf(response)).toBe(LARGE.length);
});
