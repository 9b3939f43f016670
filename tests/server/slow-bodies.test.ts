import net from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { itConcurrently } from '../support/it-concurrently.ts';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'], gateway: true });
});
afterAll(() => platform.stop());

interface SlowAnswer {
  status: string;
  seconds: number;
}

/** Sends a POST with `bytes` bytes of its body each second, until the server answers or the body is complete. */
function slowPost(
  service: Called,
  path: string,
  type: string,
  bytes: number,
  length: number,
): Promise<SlowAnswer> {
  const { port } = new URL(platform.url(service));
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1');
    let sent = 0;
    let answer = '';
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nApollo-Require-Preflight: 1\r\nContent-Length: ${length}\r\n\r\n`,
    );
    const drip = setInterval(() => {
      const part = Math.min(bytes, length - sent);
      socket.write(' '.repeat(part));
      sent += part;
      if (sent >= length) clearInterval(drip);
    }, 1_000);
    socket.on('data', (data) => {
      answer += data.toString();
      clearInterval(drip);
      socket.end();
    });
    socket.once('error', () => undefined);
    socket.once('close', () => {
      clearInterval(drip);
      if (answer === '') return reject(new Error('closed without an answer'));
      resolve({ status: answer.slice(9, 12), seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

const JSON_TYPE = 'application/json';

const DOORS: [Called, string, string][] = [
  ['identity', '/auth/login', JSON_TYPE],
  ['identity', '/graphql', JSON_TYPE],
  ['gateway', '/identity/auth/login', JSON_TYPE],
  ['gateway', '/graphql', JSON_TYPE],
  ['gateway', '/graphql', 'multipart/form-data; boundary=x'],
];

itConcurrently('a body that arrives too slowly is refused by a service and by the gateway', async () => {
  const answers = await Promise.all(
    DOORS.map(async ([service, path, type]) => {
      const { status, seconds } = await slowPost(service, path, type, 1, 1_000);
      return { door: `${service} ${path} ${type}`, status, inTime: seconds < 16 };
    }),
  );
  expect(answers).toEqual(
    DOORS.map(([service, path, type]) => ({
      door: `${service} ${path} ${type}`,
      status: '408',
      inTime: true,
    })),
  );
});

itConcurrently('a body that is slow but steady is read to its end', async () => {
  const { status, seconds } = await slowPost('identity', '/auth/login', JSON_TYPE, 2_000, 28_000);
  expect(seconds).toBeGreaterThan(13);
  expect(status).toBe('400');
});
