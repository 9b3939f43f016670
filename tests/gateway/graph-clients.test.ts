import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as jose from 'jose';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import { freePort } from '#server/http/free-ports.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { startProcess, type StartedProcess } from '../support/process.ts';
import { apolloClientWith } from './graph-clients/apollo-client.ts';
import { curl } from './graph-clients/curl.ts';
import { eventSource } from './graph-clients/event-source.ts';
import type { GraphClient, MakeClient } from './graph-clients/graph-client.ts';
import { graphqlRequest } from './graph-clients/graphql-request.ts';
import { graphqlSse } from './graph-clients/graphql-sse.ts';
import { relay } from './graph-clients/relay.ts';
import { urql } from './graph-clients/urql.ts';

let platform: TestPlatform;
let gateway: StartedProcess;
let port: number;

const startGateway = async (): Promise<void> => {
  gateway = startProcess(['gateway'], { ...platform.env, GATEWAY_PORT: String(port) });
  await gateway.printed(/Gateway is ready: http/);
};
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  port = await freePort();
  await startGateway();
});
afterAll(async () => {
  await gateway.end('SIGKILL');
  await platform.stop();
});
const url = (): string => `http://127.0.0.1:${port}`;

/** The same token, with a valid signature, but a minute after its expiry. */
async function expired(token: string): Promise<string> {
  const [{ key }] = await platform.sql(
    'identity',
    'select private_key as key from signing_key where kid = $1',
    [jose.decodeProtectedHeader(token).kid],
  );
  const past = Math.floor(Date.now() / 1_000) - 60;
  return new jose.SignJWT({ ...jose.decodeJwt(token), iat: past - 900, exp: past })
    .setProtectedHeader({ alg: 'ES256', kid: jose.decodeProtectedHeader(token).kid })
    .sign(await jose.importPKCS8(key as string, 'ES256'));
}

const CLIENTS: [string, MakeClient][] = [
  ['graphql-sse', graphqlSse],
  ['Apollo Client, answers in parts as of 2022', apolloClientWith('2022')],
  ['Apollo Client, answers in parts as of v0.2', apolloClientWith('v0.2')],
  ['urql', urql],
  ['Relay', relay],
  ['graphql-request', graphqlRequest],
  ['curl', curl],
  ['EventSource', eventSource],
];

const OCCUPANCY = 'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }';

// The tests of a client run in this order, because they use the tokens of its log-in.
describe.each(CLIENTS)('the client %s', (_name, make) => {
  let client: GraphClient;
  let token: string | undefined;
  let refreshToken: string;
  beforeAll(() => {
    client = make(url(), () => token);
  });

  it('logs in', async () => {
    const { data } = await client.send({
      query: 'mutation ($input: LoginInput!) { login(input: $input) { token refreshToken } }',
      variables: { input: { email: 'admin@iron.test', password: DEMO_PASSWORD } },
    });
    ({ token, refreshToken } = data.login);
    expect(token).toMatch(/^ey/);
  });

  it('sends a query', async () => {
    expect(await client.send({ query: '{ me { gym { name } } }' })).toMatchObject({
      data: { me: { gym: { name: 'Iron Temple' } } },
      codes: [],
    });
  });

  it('sends a query by GET, if it can', async () => {
    const answer = await (client.get ?? client.send)({
      query: 'query ($id: ID!) { gym(id: $id) { name } }',
      variables: { id: DEMO_GYMS.ironTemple.id },
    });
    expect(answer).toMatchObject({ data: { gym: { name: 'Iron Temple' } }, codes: [] });
  });

  it('shows an error and the data beside it', async () => {
    const { data, codes } = await client.send({
      query: 'query ($gym: ID!) { me { gym { name } } users(gymId: $gym) { nodes { id } } }',
      variables: { gym: DEMO_GYMS.aquaClub.id },
    });
    expect({ data, codes }).toMatchObject({
      data: { me: { gym: { name: 'Iron Temple' } }, users: null },
      codes: ['FORBIDDEN'],
    });
  });

  it('is refused with an expired token, and continues after a refresh', async () => {
    token = await expired(token ?? '');
    expect((await client.send({ query: '{ me { id } }' })).codes).toEqual(['UNAUTHENTICATED']);
    token = undefined;
    const { data } = await client.send({
      query: 'mutation ($input: RefreshTokenInput!) { refreshToken(input: $input) { token } }',
      variables: { input: { refreshToken } },
    });
    token = data.refreshToken.token as string;
    expect((await client.send({ query: '{ me { gym { name } } }' })).codes).toEqual([]);
  });

  it('sends a mutation', async () => {
    const bio = `Written ${randomUUID()}`;
    expect(
      await client.send({
        query: 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { bio } }',
        variables: { input: { bio } },
      }),
    ).toMatchObject({ data: { updateProfile: { bio } }, codes: [] });
  });

  it('uploads a file, if it can', async () => {
    const uploads = !['Apollo Client', 'graphql-request', 'graphql-sse', 'EventSource'].includes(client.name);
    expect(client.upload !== undefined).toBe(uploads);
    if (!client.upload) return;
    const picture = await pictures.normal('png');
    const { data, codes } = await client.upload(
      {
        query: 'mutation ($file: Upload!) { uploadAvatar(file: $file) { avatar } }',
        variables: {},
      },
      new Blob([new Uint8Array(picture)], { type: 'image/png' }),
    );
    expect({ avatar: data?.uploadAvatar.avatar, codes }).toEqual({ avatar: expect.any(String), codes: [] });
  });

  it('reads pages', async () => {
    const query =
      'query ($after: String) { users(first: 2, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }';
    const first = (await client.send({ query })).data.users;
    expect(first.pageInfo.hasNextPage).toBe(true);
    const second = (await client.send({ query, variables: { after: first.pageInfo.endCursor } })).data.users;
    const ids = [...first.nodes, ...second.nodes].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reads the answer to a query with @defer in parts, if it can', async () => {
    expect(client.readParts !== undefined).toBe(client.name !== 'graphql-request');
    if (!client.readParts) return;
    const rest = 'gym { name locations { name } }';
    const [first, ...later] = await client.readParts({
      query: `query { me { displayName ... @defer(label: "gym") { ${rest} } } }`,
    });
    const whole = await client.send({ query: `query { me { displayName ${rest} } }` });
    expect(first).toMatchObject({ me: { displayName: whole.data.me.displayName } });
    expect(first.me.gym).toBeUndefined();
    expect(later.at(-1)).toMatchObject(whole.data);
  });
});

describe('the clients with subscriptions', () => {
  async function checkIn(locationId: string): Promise<void> {
    const { token } = await platform.register();
    const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
    await platform.rest('gym', 'POST', '/locations/check-in', {
      token,
      body: { qrCode: body.qrCode, locationId },
    });
  }

  it('get the state and its changes, also after the gateway was killed or stopped', async () => {
    const token = await platform.demo('admin@iron.test');
    const { body } = await platform.rest('gym', 'POST', '/locations', {
      token,
      body: { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 4 },
    });
    const id = body.id as string;
    const clients = CLIENTS.map(([, make]) => make(url(), () => token)).filter(({ subscribe }) => subscribe);
    expect(clients.map(({ name }) => name)).toEqual([
      'graphql-sse',
      'Apollo Client',
      'Apollo Client',
      'urql',
      'Relay',
      'curl',
      'EventSource',
    ]);
    const events = clients.map((client) => client.subscribe?.({ query: OCCUPANCY, variables: { id } }));
    /** Waits until each client has got an event with this number of people. */
    const reads = (people: number) =>
      Promise.all(
        events.map(async (of) => {
          while ((await of?.next())?.occupancyChanged.people !== people);
        }),
      );
    await reads(0);
    await checkIn(id);
    await reads(1);
    await gateway.end('SIGKILL');
    // While there is no gateway, the state changes: a client that has connected again gets it as a whole.
    await checkIn(id);
    await startGateway();
    await reads(2);
    await checkIn(id);
    await reads(3);
    // After an ordinary stop, clients connect again in the same way.
    await gateway.end('SIGTERM');
    await checkIn(id);
    await startGateway();
    await reads(4);
    for (const of of events) of?.close();
    expect(await gateway.end('SIGTERM')).toBe(0);
  }, 60_000);
});
