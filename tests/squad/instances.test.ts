import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settingsOf } from '#server/run.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { database } from '../../subgraphs/squad/database.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, type Person } from './support/people.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`with two instances and Redis${why}`, () => {
  let platform: TestPlatform;
  let redis: OwnRedis;
  let one: RunningSubgraph;
  let exerciseId: string;
  let other: RunningSubgraph;
  const graceMillis = 3_000;

  let clone: ClonedDatabase;

  const startInstance = async (): Promise<RunningSubgraph> => {
    const { settings } = settingsOf(squad, {
      ...platform.env,
      REDIS_URL: redis.url,
      SQUAD_PRESENCE_GRACE_MILLIS: String(graceMillis),
    });
    const { server: databaseServer, name: databaseName } = clone;
    return startSubgraph(squad, { settings, port: 0, verifyAnswers: true, databaseServer, databaseName });
  };
  const at = (instance: RunningSubgraph, person: Person) =>
    SquadClient.connect({ url: instance.url, token: person.token });
  const sees = (userId: string) => (data: { users: readonly { userId: string }[] }) =>
    data.users.some((user) => user.userId === userId);

  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'content'] });
    exerciseId = (await exerciseOf(platform)).id;
    [redis, clone] = await Promise.all([startRedis(), cloneDatabase(database)]);
    [one, other] = await Promise.all([startInstance(), startInstance()]);
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await redis?.stop();
    await platform?.stop();
  });

  test('members at different instances see each other, train together and chat', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const [mayas, leos] = await Promise.all([at(one, maya), at(other, leo)]);
    await mayas.send('user_online', {});
    await leos.send('user_online', { activity: 'legs' });
    await mayas.next('online_users_updated', sees(leo.id));
    const { invite } = await mayas.send('send_squad_invite', { toUserId: leo.id });
    await leos.next('squad_invite_received', (data) => data.invite.id === invite.id);
    await mayas.send('join_squad', { squadId: invite.squadId });
    const { session } = await leos.send('join_squad', { squadId: invite.squadId });
    expect((await mayas.next('squad_joined', (data) => data.userId === leo.id)).revision).toBe(
      session.revision,
    );
    const { revision } = await leos.send('update_workout', {
      squadId: invite.squadId,
      eventId: randomUUID(),
      exerciseIndex: 1,
      exerciseId,
      setIndex: 2,
      phase: 'WORK',
    });
    expect(await mayas.next('squad_updated', (data) => data.revision === revision)).toMatchObject({
      participant: { userId: leo.id, exerciseIndex: 1, setIndex: 2 },
    });
    const { message } = await mayas.send('send_squad_message', { squadId: invite.squadId, text: 'go!' });
    expect((await leos.next('squad_message', (data) => data.message.id === message.id)).message.text).toBe(
      'go!',
    );
    const list = await (
      await fetch(`${other.url}/online-users`, { headers: { Authorization: `Bearer ${maya.token}` } })
    ).json();
    expect(list).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ userId: maya.id }),
        expect.objectContaining({ userId: leo.id }),
      ]),
    );
    await Promise.all([mayas.close(), leos.close()]);
  });

  test('both have the same list of online users, also if a user is connected to both, and the numbers of updates have no gap', async () => {
    const [maya, leo, zoe] = await Promise.all([
      platform.register(),
      platform.register(),
      platform.register(),
    ]);
    const [ones, others] = await Promise.all([at(one, maya), at(other, leo)]);
    const first = await Promise.all(
      [ones, others].map((client) => client.send('user_online', { delta: true })),
    );
    const tabs = await Promise.all([at(one, zoe), at(other, zoe)]);
    await tabs[0].send('user_online', { activity: 'first tab' });
    const does = (activity: string) => (data: { users: readonly { activity: string | null }[] }) =>
      data.users.some((user) => user.activity === activity);
    for (const client of [ones, others]) await client.next('online_users_updated', does('first tab'));
    await tabs[1].send('user_online', { activity: 'second tab' });
    for (const client of [ones, others]) await client.next('online_users_updated', does('second tab'));
    // When a connection ends, an older entry of the other instance must not become current again.
    await tabs[0].send('user_online', { status: 'INVISIBLE' });
    for (const client of [ones, others])
      await client.next('online_users_updated', ({ removed }) => removed.includes(zoe.id));
    await tabs[0].close();
    await new Promise((resolve) => setTimeout(resolve, graceMillis + 500));
    const lists = await Promise.all(
      [one, other].map(async ({ url }) =>
        (await fetch(`${url}/online-users`, { headers: { Authorization: `Bearer ${maya.token}` } })).json(),
      ),
    );
    expect(lists[0]).toEqual(lists[1]);
    expect(sees(zoe.id)({ users: lists[0] as { userId: string }[] })).toBe(false);
    for (const [index, client] of [ones, others].entries()) {
      const { users, seq } = await client.send('user_online', { delta: true });
      expect(users).toEqual(lists[index]);
      // The updates have the numbers after that of the first ack, and this ack has the number of the last update.
      const numbers = client.frames.flatMap((frame) =>
        frame.event === 'online_users_updated' ? [frame.seq] : [],
      );
      const before = first[index]?.seq as number;
      expect(numbers).toEqual(numbers.map((_seq, nth) => before + 1 + nth));
      expect(numbers.at(-1)).toBe(seq);
      expect(numbers.length).toBeGreaterThanOrEqual(3); // for the two tabs, and for the removal
    }
    await Promise.all([ones.close(), others.close(), tabs[1].close()]);
  });

  test('a user who announces their presence at one instance stays online while they are connected to the other', async () => {
    const [maya, leo, zoe] = await Promise.all([
      platform.register(),
      platform.register(),
      platform.register(),
    ]);
    const [mayas, leos] = await Promise.all([at(one, maya), at(one, leo)]);
    await mayas.send('user_online', {});
    const announce = ({ token }: Person) =>
      fetch(`${other.url}/presence`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: '{}',
      });
    await announce(leo);
    await mayas.next('online_users_updated', sees(leo.id));
    await announce(zoe);
    await mayas.next('online_users_updated', sees(zoe.id));
    // Zoe has no connection, and is offline after the grace period. By then Leo's grace period has ended, too.
    const isLeoOnline = Promise.withResolvers<boolean>();
    const stop = mayas.on('online_users_updated', (data) => {
      if (!sees(zoe.id)(data)) isLeoOnline.resolve(sees(leo.id)(data));
    });
    expect(await isLeoOnline.promise).toBe(true);
    stop();
    await Promise.all([mayas.close(), leos.close()]);
  });

  test('simultaneous writes at both make one sequence of revisions, each delivered once', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const [mayas, leos] = await Promise.all([at(one, maya), at(other, leo)]);
    await leos.send('user_online', {});
    const { invite } = await mayas.send('send_squad_invite', { toUserId: leo.id });
    const { squadId } = invite;
    await mayas.send('join_squad', { squadId });
    const { session } = await leos.send('join_squad', { squadId });
    const update = (client: SquadClient, setIndex: number) =>
      client.send('update_workout', {
        squadId,
        eventId: randomUUID(),
        exerciseIndex: 0,
        exerciseId,
        setIndex,
        phase: 'WORK',
      });
    const acks = await Promise.all(
      Array.from({ length: 20 }, (_one, index) => update(index % 2 ? mayas : leos, index)),
    );
    const revisions = acks.map(({ revision }) => revision).toSorted((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_one, index) => session.revision + 1 + index));
    for (const client of [mayas, leos]) {
      await client.next('squad_updated', (data) => data.revision === revisions.at(-1));
      expect(client.frames.filter(({ event }) => event === 'squad_updated').map(({ seq }) => seq)).toEqual(
        revisions,
      );
    }
    await Promise.all([mayas.close(), leos.close()]);
  });

  test('changes that one makes while Redis hangs reach the other within 3 s after Redis answers again', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const [mayas, leos] = await Promise.all([at(one, maya), at(other, leo)]);
    await mayas.send('user_online', {});
    await leos.send('user_online', {});
    const { invite } = await mayas.send('send_squad_invite', { toUserId: leo.id });
    const { squadId } = invite;
    await mayas.send('join_squad', { squadId });
    await leos.send('join_squad', { squadId });
    redis.hang();
    const messages: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const { message } = await mayas.send('send_squad_message', { squadId, text: `round ${round}` });
      messages.push(message.id);
      await leos.send('user_online', { activity: `round ${round}` });
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    redis.resume();
    const resumedAt = performance.now();
    await leos.next('squad_message', ({ message }) => message.id === messages.at(-1));
    await mayas.next('online_users_updated', ({ users }) =>
      users.some(({ userId, activity }) => userId === leo.id && activity === 'round 3'),
    );
    // Sooner than the check of all journals, which is every 15 s: the instances were notified.
    expect(performance.now() - resumedAt).toBeLessThan(withinOnThisMachine(3_000));
    await Promise.all([mayas.close(), leos.close()]);
  });

  test('if an instance stops, its users continue at another one and miss nothing', async () => {
    const third = await startInstance();
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const mayas = await at(third, maya);
    const leos = await at(other, leo);
    await leos.send('user_online', {});
    await mayas.send('user_online', {});
    const { invite } = await leos.send('send_squad_invite', { toUserId: maya.id });
    const { squadId } = invite;
    await leos.send('join_squad', { squadId });
    const { session } = await mayas.send('join_squad', { squadId });
    const before = leos.frames.length;
    await third.stop();
    expect((await mayas.closed).code).toBe(1001);
    const { revision } = await leos.send('update_workout', {
      squadId,
      eventId: 'meanwhile',
      exerciseIndex: 0,
      exerciseId,
      setIndex: 1,
      phase: 'REST',
    });
    const { message } = await leos.send('send_squad_message', { squadId, text: 'are you there?' });
    const back = await at(one, maya);
    const { missed, complete } = await back.send('join_squad', {
      squadId,
      fromRevision: session.revision,
      fromMessage: 0,
    });
    expect(complete).toBe(true);
    expect(missed.map((event) => event.revision)).toEqual([revision]);
    expect((await back.next('squad_message')).message.id).toBe(message.id);
    await back.send('user_online', {});
    // Maya returned within the grace period, so every update contains them.
    const updates = leos.frames.slice(before).filter(({ event }) => event === 'online_users_updated');
    expect(updates.every(({ data }) => sees(maya.id)(data as never))).toBe(true);
    await Promise.all([back.close(), leos.close()]);
  });

  test('after Redis has restarted without its data, presence is complete again, and squads continue', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const [mayas, leos] = await Promise.all([at(one, maya), at(other, leo)]);
    await Promise.all([mayas.send('user_online', {}), leos.send('user_online', {})]);
    const { invite } = await mayas.send('send_squad_invite', { toUserId: leo.id });
    const { squadId } = invite;
    await mayas.send('join_squad', { squadId });
    await leos.send('join_squad', { squadId });
    await redis.restart();
    const startedAt = Date.now();
    const joiner = await platform.register();
    let joined: SquadClient | undefined;
    // A user at a new instance sees the users of the other instances.
    const fresh = await startInstance();
    for (;;) {
      joined ??= await at(fresh, joiner).catch(() => undefined);
      const snapshot = await joined?.send('user_online', {}).catch(() => undefined);
      if (snapshot && sees(maya.id)(snapshot) && sees(leo.id)(snapshot)) break;
      expect(Date.now() - startedAt).toBeLessThan(withinOnThisMachine(30_000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await mayas.next('online_users_updated', sees(joiner.id));
    const { revision } = await mayas.send('update_workout', {
      squadId,
      eventId: randomUUID(),
      exerciseIndex: 0,
      exerciseId,
      setIndex: 5,
      phase: 'WORK',
    });
    expect(
      (await leos.next('squad_updated', (data) => data.revision === revision)).participant?.setIndex,
    ).toBe(5);
    await Promise.all([mayas.close(), leos.close(), joined?.close()]);
    await fresh.stop();
  });
});
