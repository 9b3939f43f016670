import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceCalls, type ServiceCall, type ServiceCalls } from '../../server/service-calls.ts';
import { NO_ORIGIN } from '../../server/unit-of-work.ts';

/** A service whose answers each test sets by `answer`. */
const service = http.createServer((req, res) => {
  requests += 1;
  answer(req, res);
});
let answer: (req: http.IncomingMessage, res: http.ServerResponse) => void;
let requests = 0;
let calls: ServiceCalls;
let tokens: string[] = [];
let nextToken: () => Promise<string>;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  calls = serviceCalls({
    name: 'gym',
    url,
    tokens: {
      get: () => nextToken(),
      refused: (token) => void (tokens = tokens.filter((each) => each !== token)),
    },
    timeoutMillis: 20_000,
  });
});
afterAll(async () => {
  await calls.close();
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  requests = 0;
  tokens = ['first', 'second'];
  nextToken = async () => tokens[0] ?? 'none';
});

const call = (given: Partial<ServiceCall>): Promise<unknown> =>
  calls.call({ method: 'GET', path: '/things', as: 'service', origin: NO_ORIGIN, ...given });
const UNAVAILABLE = { code: 'UPSTREAM_UNAVAILABLE' };

describe('a call whose connection closes without an answer', () => {
  const closeFirst = () => {
    answer = (req, res) => {
      if (requests === 1) req.socket.destroy();
      else res.end('{"ok":true}');
    };
  };

  it('is sent once more if it is a read', async () => {
    closeFirst();
    expect(await call({})).toEqual({ ok: true });
    expect(requests).toBe(2);
  });

  it('is sent at most twice', async () => {
    answer = (req) => void req.socket.destroy();
    await expect(call({})).rejects.toMatchObject(UNAVAILABLE);
    expect(requests).toBe(2);
  });

  it.each(['POST', 'PUT', 'DELETE'] as const)('is not sent again if it is a %s', async (method) => {
    closeFirst();
    await expect(call({ method, body: {} })).rejects.toMatchObject(UNAVAILABLE);
    expect(requests).toBe(1);
  });
});

it('a call takes no longer than the request that causes it may take, and is not sent again', async () => {
  answer = () => undefined;
  const origin = { ...NO_ORIGIN, timeLeft: () => 100 };
  await expect(call({ origin })).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  expect(requests).toBe(1);
});

describe('a service token that is refused', () => {
  it('is replaced, and the call is sent again, also if it is a write', async () => {
    answer = (req, res) => {
      if (req.headers.authorization !== 'Bearer second') res.writeHead(401);
      res.end('{"ok":true}');
    };
    expect(await call({ method: 'POST', body: {} })).toEqual({ ok: true });
    expect(requests).toBe(2);
    expect(await call({})).toEqual({ ok: true });
    expect(requests).toBe(3);
  });

  it('is not replaced a second time', async () => {
    answer = (_req, res) => void res.writeHead(401).end('{}');
    await expect(call({})).rejects.toMatchObject(UNAVAILABLE);
    expect(requests).toBe(2);
  });
});

it('a call waits for its service token no longer than its request may take', async () => {
  nextToken = () => new Promise(() => undefined);
  const origin = { ...NO_ORIGIN, timeLeft: () => 100 };
  await expect(call({ origin })).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  expect(requests).toBe(0);
});
