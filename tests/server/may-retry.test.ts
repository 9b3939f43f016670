import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { mayRetry } from '../../server/http/may-retry.ts';

/** The error of a request to this server, which is closed before the request if `isListening` is false. */
async function errorOf(server: ReturnType<typeof createServer>, isListening: boolean): Promise<unknown> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (!isListening) await new Promise((resolve) => server.close(resolve));
  const pool = new Pool(`http://127.0.0.1:${port}`, { headersTimeout: 100 });
  const error = await pool.request({ method: 'GET', path: '/' }).catch((thrown: unknown) => thrown);
  await pool.destroy();
  server.close();
  return error;
}

describe('a request may be sent once more', () => {
  it('with any method, if its connection was refused', async () => {
    const error = await errorOf(createServer(), false);
    expect([mayRetry(error, true), mayRetry(error, false)]).toEqual([true, true]);
  });

  it('if it is a read, and the connection closed or was reset without an answer', async () => {
    for (const close of ['end', 'resetAndDestroy'] as const) {
      const error = await errorOf(
        createServer((socket) => socket.on('error', () => undefined).once('data', () => socket[close]())),
        true,
      );
      expect([mayRetry(error, true), mayRetry(error, false)]).toEqual([true, false]);
    }
  });

  it('not after a time-out', async () => {
    const error = await errorOf(
      createServer((socket) => socket.on('error', () => undefined)),
      true,
    );
    expect([mayRetry(error, true), mayRetry(error, false)]).toEqual([false, false]);
  });
});
