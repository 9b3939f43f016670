import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { createLogger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';
import type { DatabaseJournals } from '../../subgraphs/squad/storage/journal.database.ts';
import { RedisConnectionTimes } from '../../subgraphs/squad/squads/connection-times.redis.ts';
import { redisJournalChanges } from '../../subgraphs/squad/storage/journal-changes.redis.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { RedisProcess } from '../support/redis-installations.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';
import { numbers } from './journals/kinds.ts';
import { databaseStore } from './journals/stores.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`squad with Redis${why}`, () => {
  let redis: OwnRedis;
  let platform: TestPlatform;
  beforeAll(async () => {
    redis = await startRedis();
    platform = await startPlatform({ services: ['identity', 'squad'], env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await platform?.stop();
    await redis?.stop();
  });

  test('opens and shows squads within seconds while Redis hangs, and its readiness says what does not work', async () => {
    const token = await platform.demo('maya@iron.test');
    const open = () => platform.rest('squad', 'POST', '/squads', { token, body: {} });
    const { body: before } = await open();
    redis.hang();
    for (let round = 0; round < 3; round += 1) {
      const startedAt = Date.now();
      const answer = await open();
      expect(answer.status).toBe(201);
      expect((await platform.rest('squad', 'GET', `/squads/${answer.body.id}`, { token })).status).toBe(200);
      expect(Date.now() - startedAt).toBeLessThan(withinOnThisMachine(5_000));
    }
    expect((await platform.rest('squad', 'GET', `/squads/${before.id}`, { token })).status).toBe(200);
    const ready = () => platform.rest('squad', 'GET', '/health/ready');
    await eventually(async () => (await ready()).body.lost?.presence !== undefined);
    expect(await ready()).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        lost: { presence: expect.stringContaining('last known'), changes: expect.stringContaining('15 s') },
      },
    });
    expect(await platform.rest('squad', 'GET', '/health/live')).toMatchObject({ status: 200 });
    redis.resume();
    await eventually(async () => (await ready()).body.lost === undefined);
  });
});

(hasRedis ? describe : describe.skip)(`reports of changes${why}`, () => {
  test('that could not be published while Redis hung are published as soon as it answers', async () => {
    const redis = await startRedis();
    const open = () => RedisConnections.open({ redisUrl: redis.url }, createLogger('squad', 'silent'));
    const [one, other] = [await open(), await open()];
    const [sender, receiver] = [redisJournalChanges(one), redisJournalChanges(other)];
    const received = new Set<string>();
    const names = Array.from({ length: 40 }, (_, index) => `squad/${index}`);
    for (const name of names) await receiver.subscribe(name, () => received.add(name));
    redis.hang();
    for (const name of names) {
      sender.publish(name, { seq: 1, mark: null });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    redis.resume();
    const resumedAt = performance.now();
    await eventually(async () => received.size === names.length);
    expect(performance.now() - resumedAt).toBeLessThan(withinOnThisMachine(2_000));
    for (const each of [one, other]) each.close();
    await redis.stop();
  });
});

(hasRedis ? describe : describe.skip)(`changes by another instance${why}`, () => {
  test('are found at the next periodic check while Redis hangs, also in a journal that is followed only since then', async () => {
    const redis = await startRedis();
    const open = () => RedisConnections.open({ redisUrl: redis.url }, createLogger('squad', 'silent'));
    const connections = [await open(), await open()];
    const store = await databaseStore(
      connections.map((each) => redisJournalChanges(each)),
      { checkMillis: 200 },
    );
    const [one, other] = store.instances as [DatabaseJournals, DatabaseJournals];
    const ids = [randomUUID(), randomUUID()] as const;
    const received: (readonly number[])[] = [[], []];
    const follow = (at: 0 | 1) => other.of(numbers).follow(ids[at], (list) => (received[at] = list));
    await follow(0);
    redis.hang();
    await follow(1);
    for (const n of [1, 2]) {
      for (const id of ids) await one.of(numbers).change(id, () => [{ n }]);
      await eventually(async () => received.every((list) => list.at(-1) === n), 10_000);
    }
    expect(received).toEqual([
      [1, 2],
      [1, 2],
    ]);
    redis.resume();
    await store.close();
    for (const each of connections) each.close();
    await redis.stop();
  });
});

(hasRedis ? describe : describe.skip)(`the connected users of an instance${why}`, () => {
  test.each([
    ['the hash of the instance', ['del', 'squad:connected:one']],
    ['the list of the instances', ['del', 'squad:connected']],
    ['all its data', ['flushDb']],
  ])('are complete again if Redis has lost %s and another user connects at once', async (_what, lost) => {
    const redis = await startRedis();
    const log = createLogger('squad', 'silent');
    const open = () => RedisConnections.open({ redisUrl: redis.url }, log);
    const connections = [await open(), await open()] as const;
    const one = new RedisConnectionTimes(connections[0], 'one', log);
    const other = new RedisConnectionTimes(connections[1], 'other', log);
    const client = await createClient({ url: redis.url }).connect();
    const knows = async (count: number): Promise<boolean> => {
      const times = await other.of(['maya', 'leo', 'zoe']).catch(() => undefined); // Redis may be slow
      return [...(times ?? [])].filter(([, { connectedAt }]) => connectedAt !== null).length === count;
    };
    try {
      for (const userId of ['maya', 'leo']) one.open(userId);
      await eventually(() => knows(2));
      await client.sendCommand(lost);
      one.open('zoe');
      await eventually(() => knows(3), 10_000);
      expect(await client.pTTL('squad:connected:one')).toBeGreaterThan(0);
    } finally {
      client.destroy();
      for (const times of [one, other]) times.dispose();
      for (const each of connections) each.close();
      await redis.stop();
    }
  });
});

(hasRedis ? describe : describe.skip)(`a start of squad whose Redis cannot be used${why}`, () => {
  test('works if Redis is down, says what does not work, and uses Redis as soon as it answers', async () => {
    const redis = await startRedis();
    await redis.stop();
    const platform = await startPlatform({ services: ['identity', 'squad'], env: { REDIS_URL: redis.url } });
    const ready = () => platform.rest('squad', 'GET', '/health/ready');
    expect(await ready()).toMatchObject({ status: 200, body: { lost: { presence: expect.any(String) } } });
    const token = await platform.demo('maya@iron.test');
    expect(await platform.rest('squad', 'PUT', '/presence', { token, body: {} })).toMatchObject({
      status: 200,
    });
    expect((await platform.rest('squad', 'GET', '/online-users', { token })).status).toBe(200);
    await redis.restart();
    await eventually(async () => (await ready()).body.lost === undefined);
    const client = createClient({ url: redis.url });
    await client.connect();
    await eventually(async () => (await client.keys('squad:presence:{*}:*')).length === 1);
    client.destroy();
    await platform.stop();
    await redis.stop();
  });

  test('is refused if Redis refuses the password, and the message does not contain the password', async () => {
    const redis = await RedisProcess.start(['--requirepass', 'right'], ['-a', 'right']);
    const redisUrl = `redis://:s3cret@127.0.0.1:${redis.port}`;
    const opening = RedisConnections.open({ redisUrl }, createLogger('squad', 'silent'));
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(/refuses the connection: WRONGPASS/);
    await expect(opening).rejects.not.toThrow(/s3cret/);
    await redis.stop();
  });
});
