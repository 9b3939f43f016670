import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

/**
 * Linux accepts every address of 127.0.0.0/8 as a source. In the first `describe` LOOPBACK is a trusted proxy; in the
 * second one neither address is.
 */
const LOOPBACK = '127.0.0.1';
const OTHER_LOOPBACK = '127.0.0.9';

let platform: TestPlatform;
const startTrusting = async (trusted: string): Promise<void> => {
  platform = await startPlatform({
    services: ['identity'],
    gateway: true,
    env: { TRUSTED_PROXIES: trusted },
  });
};

const LOG_IN = `mutation { login(input: { email: "zoe@aqua.test", password: "${DEMO_PASSWORD}" }) { token } }`;
const FORGED = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'forged.test',
  'x-forwarded-prefix': '/forged',
  forwarded: 'for=203.0.113.7;host=forged.test',
  'x-real-ip': '203.0.113.7',
};
const SENT_BY_PROXY = { 'x-forwarded-for': '203.0.113.7, 198.51.100.9' };

interface Caller {
  localAddress: string;
  headers: Record<string, string>;
}

/** Logs in. @returns the access token of the new session */
type LogIn = (caller: Caller) => Promise<string>;

const post = (at: string, body: object, { localAddress, headers }: Caller): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      at,
      {
        method: 'POST',
        localAddress,
        agent: false,
        headers: { ...headers, 'content-type': 'application/json' },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve(Buffer.concat(chunks).toString()));
      },
    );
    request.once('error', reject).end(JSON.stringify(body));
  });

const overRest =
  (service: Called, path: string): LogIn =>
  async (caller) =>
    JSON.parse(
      await post(platform.url(service) + path, { email: 'zoe@aqua.test', password: DEMO_PASSWORD }, caller),
    ).token as string;

const overGraph =
  (service: Called, query: string): LogIn =>
  async (caller) => {
    const at = `${platform.url(service)}/graphql`;
    return JSON.parse(await post(at, { query }, caller)).data.login.token as string;
  };

const overSocket =
  (service: Called): LogIn =>
  async ({ localAddress, headers }) => {
    const client = createClient({
      url: `${platform.url(service).replace('http', 'ws')}/graphql`,
      retryAttempts: 0,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { localAddress, headers });
        }
      },
    });
    try {
      const { value } = await client.iterate<{ login: { token: string } }>({ query: LOG_IN }).next();
      return value.data.login.token as string;
    } finally {
      await client.dispose();
    }
  };

let texts = 0;
/** Sends a text that the gateway has not received before. */
const byNewOperation: LogIn = (caller) => overGraph('gateway', `${LOG_IN} # ${(texts += 1)}`)(caller);

const DOORS: [string, LogIn][] = [
  ["REST at the service's own port", overRest('identity', '/auth/login')],
  ["REST through the gateway's prefix", overRest('gateway', '/identity/auth/login')],
  ["the service's own graph", overGraph('identity', LOG_IN)],
  ["the gateway's graph, a new operation", byNewOperation],
  ["the gateway's graph, a prepared operation", overGraph('gateway', LOG_IN)],
  ["the gateway's graph over a WebSocket", overSocket('gateway')],
];

/** The address of the client that identity stored for the session of this token. */
async function addressOfSession(token: string): Promise<string> {
  const { body } = await platform.rest('identity', 'GET', '/auth/sessions', { token });
  return body.find(({ current }: { current: boolean }) => current).address as string;
}

describe('if the gateway trusts a proxy,', () => {
  beforeAll(async () => {
    await startTrusting(LOOPBACK);
    await overGraph('gateway', LOG_IN)({ localAddress: LOOPBACK, headers: {} }); // prepares the operation
  });
  afterAll(() => platform.stop());

  it.each(DOORS)(
    'a client that does not use it has the address of its connection: %s',
    async (_door, logIn) => {
      const token = await logIn({ localAddress: OTHER_LOOPBACK, headers: FORGED });
      expect(await addressOfSession(token)).toBe(OTHER_LOOPBACK);
    },
  );

  it.each(DOORS)(
    'its client has the last address in the header of the proxy, and not one before it: %s',
    async (_door, logIn) => {
      const caller = { localAddress: LOOPBACK, headers: SENT_BY_PROXY };
      expect(await addressOfSession(await logIn(caller))).toBe('198.51.100.9');
    },
  );

  it.each(DOORS)(
    'its client has the address of the connection if the proxy sends no valid one: %s',
    async (_door, logIn) => {
      const caller = { localAddress: LOOPBACK, headers: { 'x-forwarded-for': 'unknown' } };
      expect(await addressOfSession(await logIn(caller))).toBe(LOOPBACK);
    },
  );

  it('links in answers do not contain an x-forwarded-prefix that was forged by a client', async () => {
    const caller = { localAddress: OTHER_LOOPBACK, headers: FORGED };
    const direct = JSON.parse(await post(`${platform.url('identity')}/nothing`, {}, caller));
    expect(direct.instance).toBe('/nothing');
    const through = JSON.parse(await post(`${platform.url('gateway')}/identity/nothing`, {}, caller));
    expect(through.instance).toBe('/identity/nothing');
  });
});

describe("if the gateway's own address is not trusted,", () => {
  beforeAll(async () => {
    await startTrusting('192.0.2.1');
    await overGraph('gateway', LOG_IN)({ localAddress: LOOPBACK, headers: {} }); // prepares the operation
  });
  afterAll(() => platform.stop());

  it.each(DOORS)(
    'a client has the address of its connection, whatever the headers say: %s',
    async (_door, logIn) => {
      const forgedProof = { ...FORGED, 'x-forwarded-proof': 'guessed' };
      for (const localAddress of [LOOPBACK, OTHER_LOOPBACK]) {
        const token = await logIn({ localAddress, headers: forgedProof });
        expect(await addressOfSession(token)).toBe(localAddress);
      }
    },
  );

  it("links in answers have the gateway's prefix if the request came through it, and no forged one", async () => {
    const caller = { localAddress: LOOPBACK, headers: FORGED };
    const direct = JSON.parse(await post(`${platform.url('identity')}/nothing`, {}, caller));
    expect(direct.instance).toBe('/nothing');
    const through = JSON.parse(await post(`${platform.url('gateway')}/identity/nothing`, {}, caller));
    expect(through.instance).toBe('/identity/nothing');
  });
});
