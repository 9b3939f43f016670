import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

/** Linux accepts every address of 127.0.0.0/8 as a source; only the first one is a trusted proxy here. */
const TRUSTED = '127.0.0.1';
const UNTRUSTED = '127.0.0.9';

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

const DOORS: [string, LogIn][] = [
  ["REST at the service's own port", overRest('identity', '/auth/login')],
  ["REST through the gateway's prefix", overRest('gateway', '/identity/auth/login')],
  ["the service's own graph", overGraph('identity', LOG_IN)],
  ["the gateway's graph, a new operation", overGraph('gateway', `${LOG_IN} # first`)],
  ["the gateway's graph, a prepared operation", overGraph('gateway', LOG_IN)],
  ["the gateway's graph over a WebSocket", overSocket('gateway')],
];

/** The address of the client that identity stored for the session of this token. */
async function addressOfSession(token: string): Promise<string> {
  const { body } = await platform.rest('identity', 'GET', '/auth/sessions', { token });
  return body.find(({ current }: { current: boolean }) => current).address as string;
}

describe('the address of a client', () => {
  beforeAll(async () => {
    await startTrusting(TRUSTED);
    await overGraph('gateway', LOG_IN)({ localAddress: TRUSTED, headers: {} });
  });
  afterAll(() => platform.stop());

  it.each(DOORS)('is the address of its connection, whatever its headers say: %s', async (_door, logIn) => {
    expect(await addressOfSession(await logIn({ localAddress: UNTRUSTED, headers: FORGED }))).toBe(UNTRUSTED);
  });

  it.each(DOORS)(
    'is the last one that a trusted proxy reports, and not one before it: %s',
    async (_door, logIn) => {
      const caller = { localAddress: TRUSTED, headers: SENT_BY_PROXY };
      expect(await addressOfSession(await logIn(caller))).toBe('198.51.100.9');
    },
  );

  it.each(DOORS)("is the connection's own if a proxy sends no address: %s", async (_door, logIn) => {
    const caller = { localAddress: TRUSTED, headers: { 'x-forwarded-for': 'unknown' } };
    expect(await addressOfSession(await logIn(caller))).toBe(TRUSTED);
  });

  it('a forged x-forwarded-prefix of a client that is not trusted does not change the links in answers', async () => {
    const caller = { localAddress: UNTRUSTED, headers: FORGED };
    const direct = JSON.parse(await post(`${platform.url('identity')}/nothing`, {}, caller));
    expect(direct.instance).toBe('/nothing');
    const through = JSON.parse(await post(`${platform.url('gateway')}/identity/nothing`, {}, caller));
    expect(through.instance).toBe('/identity/nothing');
  });
});

describe("the address of a client if the gateway's own address is not trusted", () => {
  beforeAll(async () => {
    await startTrusting('192.0.2.1');
    await overGraph('gateway', LOG_IN)({ localAddress: TRUSTED, headers: {} });
  });
  afterAll(() => platform.stop());

  it.each(DOORS)('is the address of its connection, whatever its headers say: %s', async (_door, logIn) => {
    const forgedProof = { ...FORGED, 'x-forwarded-proof': 'guessed' };
    for (const localAddress of [TRUSTED, UNTRUSTED]) {
      const token = await logIn({ localAddress, headers: forgedProof });
      expect(await addressOfSession(token)).toBe(localAddress);
    }
  });

  it("does not matter for links: they have the gateway's prefix if the request came through it, and never a forged one", async () => {
    const caller = { localAddress: TRUSTED, headers: FORGED };
    const direct = JSON.parse(await post(`${platform.url('identity')}/nothing`, {}, caller));
    expect(direct.instance).toBe('/nothing');
    const through = JSON.parse(await post(`${platform.url('gateway')}/identity/nothing`, {}, caller));
    expect(through.instance).toBe('/identity/nothing');
  });
});
