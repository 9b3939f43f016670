import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, subscribed, type Person } from './support/people.ts';

const graceMillis = 300;
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    env: { SQUAD_PRESENCE_GRACE_MILLIS: String(graceMillis), SQUAD_PRESENCE_INTERVAL_MILLIS: '20' },
  });
});
afterAll(() => platform.stop());

interface Announcement {
  status?: 'AVAILABLE' | 'WORKING_OUT' | 'INVISIBLE' | 'OFFLINE';
  activity?: string | null;
}
/** For each door, a function that announces presence, and resolves to the presence that the user has afterwards. */
const doors: Record<string, (by: Person, given: Announcement) => Promise<object>> = {
  async 'PUT /presence'(by, given) {
    const { status, body } = await platform.rest('squad', 'PUT', '/presence', {
      token: by.token,
      body: given,
    });
    expect(status).toBe(200);
    return body;
  },
  async goOnline(by, given) {
    const { data } = await platform.graph(
      'squad',
      'mutation ($input: GoOnlineInput) { goOnline(input: $input) { online status activity since } }',
      { input: given },
      { token: by.token },
    );
    return data.goOnline;
  },
  async user_online(by, given) {
    const socket = await socketOf(platform, by);
    await socket.send('user_online', given);
    await socket.close();
    return ownPresence(by);
  },
};

async function ownPresence(of: Person) {
  const { data } = await platform.graph(
    'squad',
    'query($r: [_Any!]!) { _entities(representations: $r) { ... on User { presence { online status activity since } } } }',
    { r: [{ __typename: 'User', id: of.id }] },
    { token: of.token },
  );
  return data._entities[0].presence;
}
const listed = async (to: Person): Promise<{ userId: string; activity: string | null; since: string }[]> =>
  (await platform.rest('squad', 'GET', '/online-users', { token: to.token })).body;
const isListed = async (who: Person, to: Person) =>
  (await listed(to)).some(({ userId }) => userId === who.id);
const offline = { online: false, status: null, activity: null, since: null };

/** A user with an open socket, so that they stay online after the grace period. */
async function connected(): Promise<{ person: Person; socket: SquadClient }> {
  const person = await platform.register();
  return { person, socket: await socketOf(platform, person) };
}

describe.each(Object.entries(doors))('by %s', (_door, announce) => {
  test('the first announcement makes a user AVAILABLE, and later ones do not change the fields that they leave out', async () => {
    const { person, socket } = await connected();
    expect(await announce(person, {})).toMatchObject({ online: true, status: 'AVAILABLE', activity: null });
    expect(await announce(person, { status: 'WORKING_OUT', activity: 'legs' })).toMatchObject({
      status: 'WORKING_OUT',
      activity: 'legs',
    });
    expect(await announce(person, {})).toMatchObject({ status: 'WORKING_OUT', activity: 'legs' });
    expect(await announce(person, { status: 'AVAILABLE' })).toMatchObject({ activity: 'legs' });
    expect(await announce(person, { activity: null })).toMatchObject({ status: 'AVAILABLE', activity: null });
    await socket.close();
  });

  test('an empty announcement by a second device changes neither INVISIBLE nor the activity', async () => {
    const [{ person, socket }, other] = await Promise.all([connected(), platform.register()]);
    await socket.send('user_online', { status: 'INVISIBLE', activity: 'hides' });
    expect(await announce(person, {})).toMatchObject({ status: 'INVISIBLE', activity: 'hides' });
    expect(await isListed(person, other)).toBe(false);
    await socket.close();
  });

  test('OFFLINE ends presence at once, on all devices, until another status is chosen', async () => {
    const [{ person, socket }, { person: other, socket: watching }] = await Promise.all([
      connected(),
      connected(),
    ]);
    await watching.send('user_online', { delta: true });
    await socket.send('user_online', { activity: 'legs' });
    await watching.next('online_users_updated', ({ users }) =>
      users.some(({ userId }) => userId === person.id),
    );
    expect(await announce(person, { status: 'OFFLINE' })).toEqual(offline);
    await watching.next('online_users_updated', ({ removed }) => removed.includes(person.id));
    expect(await announce(person, {})).toEqual(offline);
    expect(await announce(person, { activity: 'still here' })).toEqual(offline);
    expect(await isListed(person, other)).toBe(false);
    expect(await announce(person, { status: 'AVAILABLE' })).toMatchObject({ online: true });
    expect(await isListed(person, other)).toBe(true);
    await Promise.all([socket.close(), watching.close()]);
  });

  test.each([['INVISIBLE'], ['OFFLINE']] as const)(
    '%s lasts beyond a restart of the service, which ends all presence',
    async (status) => {
      const [person, other] = await Promise.all([platform.register(), platform.register()]);
      await announce(person, { status });
      await platform.restart('squad');
      await announce(person, {});
      expect(await isListed(person, other)).toBe(false);
    },
  );

  test('INVISIBLE and OFFLINE last beyond the grace period', async () => {
    const [hidden, away, shown] = await Promise.all([
      platform.register(),
      platform.register(),
      platform.register(),
    ]);
    const { person: other, socket: watching } = await connected();
    await watching.send('user_online', { delta: true });
    await announce(hidden, { status: 'INVISIBLE' });
    await announce(away, { status: 'OFFLINE' });
    await announce(shown, {});
    // The grace period of the user who was announced last ends last.
    await watching.next('online_users_updated', ({ removed }) => removed.includes(shown.id));
    for (const [person, expected] of [
      [hidden, { online: true, status: 'INVISIBLE' }],
      [away, offline],
    ] as const) {
      expect(await ownPresence(person)).toEqual(offline);
      const socket = await socketOf(platform, person);
      expect(await announce(person, {})).toMatchObject(expected);
      expect(await isListed(person, other)).toBe(false);
      await socket.close();
    }
    await watching.close();
  });

  test('an activity without visible characters is refused', async () => {
    const person = await platform.register();
    const refused = await announce(person, { activity: '\u200B\u2060' }).catch((error: unknown) => error);
    expect(refused instanceof Error || refused === null).toBe(true);
    expect(await ownPresence(person)).toEqual(offline);
  });
});

test('the `since` of a user who was INVISIBLE is the time at which they became visible, and they are listed last', async () => {
  const [{ person, socket }, { person: other, socket: others }] = await Promise.all([
    connected(),
    connected(),
  ]);
  await socket.send('user_online', { status: 'INVISIBLE' });
  const { since } = await ownPresence(person);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await others.send('user_online', {});
  await new Promise((resolve) => setTimeout(resolve, 5));
  await socket.send('user_online', { status: 'AVAILABLE' });
  const people = (await listed(other)).filter(({ userId }) => [person.id, other.id].includes(userId));
  expect(people.map(({ userId }) => userId)).toEqual([other.id, person.id]);
  expect((people[1]?.since ?? '') > since).toBe(true);
  await Promise.all([socket.close(), others.close()]);
});

test('presence by REST lasts for the grace period, or as long as a connection is open', async () => {
  const [person, other] = await Promise.all([platform.register(), platform.register()]);
  await doors['PUT /presence']?.(person, {});
  expect(await isListed(person, other)).toBe(true);
  while (await isListed(person, other)) await new Promise((resolve) => setTimeout(resolve, 20));
  const socket = await socketOf(platform, person);
  await doors['PUT /presence']?.(person, {});
  await new Promise((resolve) => setTimeout(resolve, graceMillis * 2));
  expect(await isListed(person, other)).toBe(true);
  await socket.close();
});

test('a further announcement by the same connection does not restart the numbers of its updates; a socket and a subscription of the graph begin with the same number', async () => {
  const [{ socket }, { person: other, socket: others }] = await Promise.all([connected(), connected()]);
  const first = await socket.send('user_online', { delta: true });
  const graph = graphClient(platform.url('squad'), other.token);
  const updates = await subscribed<{ onlineUsersUpdated: { seq: number } }>(
    graph,
    'subscription { onlineUsersUpdated { seq } }',
  );
  expect(updates.events[0]?.onlineUsersUpdated.seq).toBe(first.seq);
  for (let round = 0; round < 5; round += 1) {
    const activity = `round ${round}`;
    await others.send('user_online', { activity });
    await socket.next('online_users_updated', ({ users }) =>
      users.some((user) => user.userId === other.id && user.activity === activity),
    );
    const { seq } = await socket.send('user_online', { delta: true });
    const pushed = socket.frames.filter(({ event }) => event === 'online_users_updated');
    expect(pushed.map((frame) => frame.seq)).toEqual(pushed.map((_frame, index) => first.seq + 1 + index));
    expect(seq).toBe(pushed.at(-1)?.seq);
  }
  await Promise.all([socket.close(), others.close(), graph.dispose()]);
});

test('acks contain the time of the server', async () => {
  const person = await platform.register();
  const before = Date.now();
  const socket = await SquadClient.connect({ url: platform.url('squad') });
  const authenticated = await socket.send('authenticate', { token: person.token });
  const online = await socket.send('user_online', {});
  const invited = await socket.send('send_squad_invite', { toUserId: (await platform.register()).id });
  const { squadId } = invited.invite;
  const acks = [
    authenticated,
    online,
    invited,
    await socket.send('join_squad', { squadId }),
    await socket.send('send_squad_message', { squadId, text: 'hello', clientId: randomUUID() }),
    await socket.send('leave_squad', { squadId }),
  ];
  for (const { serverTime } of acks) {
    expect(serverTime).toBe(new Date(serverTime).toISOString());
    expect(Date.parse(serverTime)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(serverTime)).toBeLessThanOrEqual(Date.now());
  }
  await socket.close();
});
