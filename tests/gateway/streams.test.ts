import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { openStream, STREAM_PROTOCOLS, type OpenStream, type StreamProtocol } from '../support/stream.ts';

let platform: TestPlatform;
let maya: string;
const open: OpenStream[] = [];
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    gateway: true,
    env: { INTROSPECTION: 'admins', COST_LIMIT: '500' },
  });
  maya = await platform.demo('maya@iron.test');
});
afterEach(() => {
  for (const opened of open.splice(0)) opened.close();
});
afterAll(() => platform.stop());

type Refusal = [
  what: string,
  query: string,
  variables: Record<string, unknown>,
  status: number,
  code: string,
  operationName: string | undefined,
];

const AQUA_LOCATION = demoId('301', 3);
const OCCUPANCY =
  'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people location { name } } }';

async function stream(
  protocol: StreamProtocol,
  request: Parameters<typeof openStream>[2],
): Promise<OpenStream> {
  const opened = await openStream(platform.url('gateway'), protocol, { token: maya, ...request });
  open.push(opened);
  return opened;
}

async function newLocation(): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/locations', {
    token: await platform.demo('admin@iron.test'),
    body: { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 4 },
  });
  return body.id as string;
}

async function checkIn(locationId: string): Promise<void> {
  const { token } = await platform.register();
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
  await platform.rest('gym', 'POST', '/locations/check-in', {
    token,
    body: { qrCode: body.qrCode, locationId },
  });
}

const subscribers = async (): Promise<number> => {
  const { body } = await platform.rest('gateway', 'GET', '/metrics');
  return Number(/^gateway_subscription_subscribers\S* (\d+)/m.exec(String(body))?.[1]);
};

describe.each(['sse', 'multipart'] as const)('a subscription over HTTP (%s)', (protocol) => {
  it.each(['POST', 'GET'] as const)(
    'begins with the state, and goes on with the changes (%s)',
    async (method) => {
      const id = await newLocation();
      const events = await stream(protocol, { query: OCCUPANCY, variables: { id }, method });
      expect(events.status).toBe(200);
      expect(events.response.headers).toMatchObject({
        'content-type':
          protocol === 'sse'
            ? 'text/event-stream; charset=utf-8'
            : 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      expect(events.response.headers['content-encoding']).toBeUndefined();
      expect((await events.result()).data).toMatchObject({ occupancyChanged: { people: 0 } });
      await checkIn(id);
      expect((await events.result()).data).toMatchObject({ occupancyChanged: { people: 1 } });
    },
  );

  it('is not compressed, because compression would delay results', async () => {
    const id = await newLocation();
    const events = await stream(protocol, {
      query: OCCUPANCY,
      variables: { id },
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(events.response.headers['content-encoding']).toBeUndefined();
    expect((await events.result()).data).toMatchObject({ occupancyChanged: { people: 0 } });
  });

  it.each<Refusal>([
    ['an unknown location', OCCUPANCY, { id: randomUUID() }, 404, 'NOT_FOUND', undefined],
    ['a missing variable', OCCUPANCY, {}, 400, 'VALIDATION_FAILED', undefined],
    ['an unknown field', 'subscription { nothing }', {}, 400, 'GRAPHQL_VALIDATION_FAILED', undefined],
    ['a syntax error', 'subscription {', {}, 400, 'GRAPHQL_PARSE_FAILED', undefined],
    [
      'a location of another gym',
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: AQUA_LOCATION },
      404,
      'NOT_FOUND',
      undefined,
    ],
    [
      'a cost above the limit',
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { location { gym { locations { gym { locations { gym { locations { id } } } } } } } } }',
      { id: AQUA_LOCATION },
      400,
      'OPERATION_LIMIT_EXCEEDED',
      undefined,
    ],
    [
      'introspection in its document',
      'subscription s { occupancyChanged(locationId: "x") { people } } query q { __schema { __typename } }',
      {},
      403,
      'FORBIDDEN',
      's',
    ],
    [
      'several operations and no name',
      'subscription a { occupancyChanged(locationId: "x") { people } } query b { __typename }',
      {},
      400,
      'VALIDATION_FAILED',
      undefined,
    ],
  ])(
    'is refused with a JSON answer before its first event: %s',
    async (_what, query, variables, status, code, operationName) => {
      const refused = await stream(protocol, { query, variables, operationName });
      expect(refused.response.headers['content-type']).toMatch(/^application\/json/);
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status,
        body: { errors: [{ extensions: { code } }] },
      });
    },
  );

  it('is refused without a token, and with an invalid one', async () => {
    const id = await newLocation();
    for (const token of ['', 'a.b.c']) {
      const refused = await stream(protocol, { query: OCCUPANCY, variables: { id }, token });
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status: 401,
        body: {
          errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
        },
      });
    }
  });

  it('can be sent by the hash of its text', async () => {
    const id = await newLocation();
    const query = `${OCCUPANCY} # ${protocol}`;
    const extensions = {
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    };
    const unknown = await stream(protocol, { variables: { id }, extensions });
    expect(await unknown.json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    const registered = await stream(protocol, { query, variables: { id }, extensions });
    expect((await registered.result()).data).toMatchObject({ occupancyChanged: { people: 0 } });
    const known = await stream(protocol, { variables: { id }, extensions, method: 'GET' });
    expect((await known.result()).data).toMatchObject({ occupancyChanged: { people: 0 } });
  });

  it('shares its protocol with queries and mutations, which get one result, or an error as JSON with its status', async () => {
    const answered = await stream(protocol, { query: '{ me { displayName } }' });
    expect(await answered.result()).toEqual({ data: { me: { displayName: 'Maya' } } });
    expect(await answered.next()).toEqual({ kind: 'complete' });
    expect(await answered.next()).toEqual({ kind: 'end' });
    const changed = await stream(protocol, {
      query: 'mutation { updateProfile(input: {}) { displayName } }',
    });
    expect(await changed.result()).toEqual({ data: { updateProfile: { displayName: 'Maya' } } });
    const refused = await stream(protocol, { query: '{ nothing }' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('ends at the gateway when its clients leave, also if they are 200', async () => {
    const id = await newLocation();
    const clients = await Promise.all(
      Array.from({ length: 200 }, () => stream(protocol, { query: OCCUPANCY, variables: { id } })),
    );
    // Half of them have read a result, the others leave before.
    await Promise.all(clients.slice(100).map((client) => client.result()));
    expect(await subscribers()).toBe(200);
    for (const client of clients) client.close();
    await eventually(async () => (await subscribers()) === 0);
  });

  it('ends for clients that leave before the response begins', async () => {
    const id = await newLocation();
    for (let count = 0; count < 20; count += 1) {
      const request = http.request(`${platform.url('gateway')}/graphql`, {
        method: 'POST',
        agent: false,
        headers: {
          accept: STREAM_PROTOCOLS[protocol],
          'content-type': 'application/json',
          authorization: `Bearer ${maya}`,
        },
      });
      request.on('error', () => undefined);
      // The client closes the connection as soon as the request is written.
      request.end(JSON.stringify({ query: OCCUPANCY, variables: { id } }), () => request.destroy());
    }
    // The gateway gets this request after those above.
    const last = await stream(protocol, { query: OCCUPANCY, variables: { id } });
    await last.result();
    expect(await eventually(async () => (await subscribers()) === 1)).toBe(true);
    last.close();
    expect(await eventually(async () => (await subscribers()) === 0)).toBe(true);
  });
});

describe('at the endpoint of the graph,', () => {
  const answer = async (query: string, accept: string, method: 'GET' | 'POST' = 'POST') => {
    const opened = await stream('sse', { query, method, headers: { accept } });
    const { 'content-type': type = '', allow } = opened.response.headers;
    opened.close();
    return { status: opened.status, type: type.split(';')[0], allow };
  };
  let subscription: string;
  beforeAll(async () => {
    subscription = OCCUPANCY.replace('($id: ID!)', '').replace('$id', JSON.stringify(await newLocation()));
  });

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed'],
    ['multipart/mixed; boundary="graphql"; subscriptionSpec="1.0", application/json', 'multipart/mixed'],
    ['text/event-stream, multipart/mixed', 'text/event-stream'],
    ['application/json, text/event-stream, multipart/mixed;subscriptionSpec=1.0', 'text/event-stream'],
    ['text/event-stream;q=0.5, multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed'],
    ['text/event-stream;q=0, multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed'],
  ])('a subscription with Accept: %s gets %s', async (accept, type) => {
    for (const method of ['GET', 'POST'] as const)
      expect(await answer(subscription, accept, method)).toMatchObject({ status: 200, type });
  });

  it.each(['application/json', '*/*', 'multipart/mixed, application/json', 'text/event-stream;q=0, */*'])(
    'a subscription with Accept: %s gets 406',
    async (accept) => {
      for (const method of ['GET', 'POST'] as const)
        expect(await answer(subscription, accept, method)).toMatchObject({
          status: 406,
          type: 'application/json',
        });
    },
  );

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json', 'application/json'],
    [
      'text/event-stream, application/graphql-response+json, application/json;q=0.9',
      'application/graphql-response+json',
    ],
    ['multipart/mixed;subscriptionSpec=1.0, application/json', 'application/json'],
  ])('a query with Accept: %s gets %s', async (accept, type) => {
    for (const method of ['GET', 'POST'] as const)
      expect(await answer('{ me { id } }', accept, method)).toMatchObject({ status: 200, type });
  });

  it('a mutation by GET is refused with 405, also for a stream', async () => {
    const mutation = 'mutation { updateProfile(input: {}) { displayName } }';
    for (const accept of ['text/event-stream', 'application/json'])
      expect(await answer(mutation, accept, 'GET')).toEqual({
        status: 405,
        type: 'application/json',
        allow: 'POST',
      });
  });

  it('a batch cannot be answered by a stream', async () => {
    const response = await fetch(`${platform.url('gateway')}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${maya}`,
      },
      body: JSON.stringify([{ query: '{ me { id } }' }]),
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 406,
      body: { errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] },
    });
  });

  it('a form or plain text of another origin cannot subscribe', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const refused = await stream('sse', { query: subscription, headers: { 'content-type': type } });
      expect(refused.status).toBe(400);
    }
  });

  it('a page of an allowed origin may read a stream, another may not', async () => {
    for (const [origin, allowed] of [
      ['http://localhost:3000', 'http://localhost:3000'],
      ['https://evil.example', undefined],
    ] as const) {
      const opened = await stream('sse', { query: subscription, method: 'GET', headers: { origin } });
      expect(opened.response.headers['access-control-allow-origin']).toBe(allowed);
    }
  });
});
