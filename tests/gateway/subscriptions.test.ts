import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';

let platform: TestPlatform;
let maya: string;
let staff: string;
const open: Subscription[] = [];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'squad'], gateway: true });
  [maya, staff] = await Promise.all([platform.demo('maya@iron.test'), platform.demo('admin@iron.test')]);
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

function listen(query: string, variables = {}, token = maya): Subscription {
  const subscription = subscribe(platform.url('gateway'), query, variables, token);
  open.push(subscription);
  return subscription;
}
const newLocation = async () =>
  (
    await platform.rest('gym', 'POST', '/locations', {
      token: staff,
      body: { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 4 },
    })
  ).body.id as string;
async function checkIn(locationId: string) {
  const member = await platform.register();
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token: member.token });
  await platform.rest('gym', 'POST', '/locations/check-in', {
    token: member.token,
    body: { qrCode: body.qrCode, locationId },
  });
  return member;
}
const OCCUPANCY =
  'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people location { name gym { name } } } }';

describe('subscriptions at the gateway', () => {
  it('send an event after a check-in by REST, with fields of the gym', async () => {
    const id = await newLocation();
    const events = listen(OCCUPANCY, { id });
    expect((await events.next()).data).toMatchObject({
      occupancyChanged: { people: 0, location: { gym: { name: 'Iron Temple' } } },
    });
    await checkIn(id);
    expect((await events.next()).data).toMatchObject({ occupancyChanged: { people: 1 } });
  });

  it('have fields of other services in every event', async () => {
    const events = listen(
      'subscription { onlineUsersUpdated { users { status user { displayName gym { name } } } } }',
    );
    await events.next();
    const leo = await platform.demo('leo@iron.test');
    await platform.graph('squad', 'mutation { goOnline { online } }', {}, { token: leo });
    for (;;) {
      const { data, errors } = await events.next();
      expect(errors).toBeUndefined();
      const found = data?.onlineUsersUpdated.users.find(
        ({ user }: { user: { displayName: string } }) => user.displayName === 'Leo',
      );
      if (!found) continue;
      expect(found).toMatchObject({ user: { gym: { name: 'Iron Temple' } } });
      break;
    }
  });

  it('continue after a restart of their service', async () => {
    const id = await newLocation();
    const events = listen(OCCUPANCY, { id });
    await events.next();
    await platform.restart('gym');
    // The restarted service sends the current state first, then the changes.
    expect((await events.next()).data).toMatchObject({ occupancyChanged: { people: 0 } });
    await checkIn(id);
    for (;;) if ((await events.next()).data?.occupancyChanged.people === 1) break;
  });

  it('of one viewer get the same events if they are equal; one of a viewer without the right is refused', async () => {
    const id = await newLocation();
    const clients = Array.from({ length: 20 }, () => listen(OCCUPANCY, { id }));
    const first = await Promise.all(clients.map((client) => client.next()));
    expect(first.every(({ data }) => data?.occupancyChanged.people === 0)).toBe(true);
    await checkIn(id);
    const second = await Promise.all(clients.map((client) => client.next()));
    expect(second.every(({ data }) => data?.occupancyChanged.people === 1)).toBe(true);
    const refused = listen(OCCUPANCY, { id }, await platform.demo('zoe@aqua.test'));
    expect(await refused.next().catch((error: unknown) => ({ errors: error }))).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });

  it('are refused over HTTP without a stream, and invalid operations over the socket', async () => {
    expect(
      await platform.graph('gateway', 'subscription { onlineUsersUpdated { seq } }', {}, { token: maya }),
    ).toMatchObject({ status: 406, errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] });
    for (const [query, code] of [
      ['subscription { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ bad', 'GRAPHQL_PARSE_FAILED'],
      [`{ ${'gyms { locations { '.repeat(8)} id ${'}}'.repeat(8)} }`, 'OPERATION_LIMIT_EXCEEDED'],
    ] as const) {
      const answer = await listen(query)
        .next()
        .catch((error: unknown) => ({ errors: error }));
      expect(answer).toMatchObject({ errors: [{ extensions: { code } }] });
    }
  });

  it.each([
    ['a query', 'query ($id: ID!) { location(id: $id) { name } }'],
    ['a mutation', 'mutation ($id: ID!) { likePost(id: $id) { id } }'],
    ['a subscription', OCCUPANCY],
  ])('%s with an invalid variable is refused with its reason', async (_what, query) => {
    for (const variables of [{}, { id: {} }])
      expect(await listen(query, variables).next()).toMatchObject({
        errors: [{ message: expect.stringContaining('"$id"'), extensions: { code: 'VALIDATION_FAILED' } }],
      });
  });

  it('use a WebSocket endpoint that also answers queries and mutations', async () => {
    const answer = await listen('{ me { displayName gym { name } } }').next();
    expect(answer.data).toEqual({ me: { displayName: 'Maya', gym: { name: 'Iron Temple' } } });
    const wrong = await listen('mutation { updateGymConfig(input: { gymId: "x" }) { version } }').next();
    expect(wrong).toMatchObject({
      errors: [{ path: ['updateGymConfig'], extensions: { code: 'FORBIDDEN' } }],
    });
  });

  it('are refused with an invalid token: the socket is closed with 4403', async () => {
    const closed = new Promise<number>((resolve) => {
      const client = createClient({
        url: `${platform.url('gateway').replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        lazy: false,
        retryAttempts: 0,
        onNonLazyError: () => undefined,
        connectionParams: { authorization: 'Bearer a.b.c' },
      });
      client.on('closed', (event) => resolve((event as { code: number }).code));
    });
    expect(await closed).toBe(4403);
  });
});
