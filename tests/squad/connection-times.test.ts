import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { createLogger } from '#server/observability/logger.ts';
import { RedisConnectionTimes } from '../../subgraphs/squad/squads/connection-times.redis.ts';
import type { ConnectionTime } from '../../subgraphs/squad/squads/connection-times.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';
const log = createLogger('squad', 'silent');

(hasRedis ? describe : describe.skip)(`the time at which a user was connected last${why}`, () => {
  let redis: OwnRedis;
  let client: ReturnType<typeof createClient>;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    client = createClient({ url: redis.url });
    await client.connect();
  });
  afterEach(() => ends.splice(0).forEach((end) => end()));
  afterAll(async () => {
    client?.destroy();
    await redis?.stop();
  });

  /** An instance, and the function that ends it as a crash does: Redis has its entries until they expire. */
  async function start(): Promise<{ times: RedisConnectionTimes; crash(): Promise<void> }> {
    const connections = await RedisConnections.open({ redisUrl: redis.url }, log);
    const id = randomUUID();
    const times = new RedisConnectionTimes(connections, id, log);
    await eventually(async () => (await client.sMembers('squad:connected')).includes(id));
    ends.push(() => {
      times.dispose();
      connections.close();
    });
    return {
      times,
      async crash() {
        connections.close();
        await client.del(`squad:connected:${id}`); // as if its lease had expired
      },
    };
  }
  const timeOf = async (
    { times }: { times: RedisConnectionTimes },
    userId: string,
  ): Promise<ConnectionTime> => (await times.of([userId])).get(userId) as ConnectionTime;

  test('is not that of an earlier disconnection if the instance of their present connection crashes', async () => {
    const [one, other] = [await start(), await start()];
    const userId = randomUUID();
    const close = one.times.open(userId);
    await eventually(async () => (await timeOf(other, userId)).connectedAt !== null);
    close();
    await eventually(async () => (await timeOf(other, userId)).goneAt !== null);
    one.times.open(userId);
    await eventually(async () => (await timeOf(other, userId)).connectedAt !== null);
    await eventually(async () => (await client.exists(`squad:gone:${userId}`)) === 0);
    const crashedAt = Date.now();
    await one.crash();
    expect((await timeOf(other, userId)).goneAt).toBeGreaterThanOrEqual(crashedAt);
    // Also after the other instance has removed the crashed one from the list.
    await eventually(async () => (await client.sMembers('squad:connected')).length === 1, 10_000);
    const { connectedAt, goneAt } = await timeOf(other, userId);
    expect(connectedAt).toBeNull();
    expect(goneAt).toBeGreaterThanOrEqual(crashedAt);
    expect((await timeOf(await start(), userId)).goneAt).toBe(goneAt);
  });

  test('is not that of a disconnection from one instance while they were connected to another one, which crashes', async () => {
    const [one, two, other] = [await start(), await start(), await start()];
    const userId = randomUUID();
    const close = one.times.open(userId);
    two.times.open(userId);
    await timeOf(two, userId); // its commands are answered in order
    close();
    await eventually(async () => (await client.exists(`squad:gone:${userId}`)) === 1);
    expect(await timeOf(other, userId)).toMatchObject({ connectedAt: expect.any(Number), goneAt: null });
    const crashedAt = Date.now();
    await two.crash();
    expect((await timeOf(other, userId)).goneAt).toBeGreaterThanOrEqual(crashedAt);
  });

  test('is known to be within the last seconds if Redis loses all its data', async () => {
    const one = await start();
    const userId = randomUUID();
    await client.del('squad:connections-lost-at');
    expect(await timeOf(one, userId)).toEqual({ connectedAt: null, goneAt: null });
    const lostAt = Date.now();
    await client.flushDb();
    expect((await timeOf(one, userId)).goneAt).toBeGreaterThanOrEqual(lostAt);
    await eventually(async () => (await client.sMembers('squad:connected')).length === 1, 10_000);
    expect((await timeOf(one, userId)).goneAt).toBeGreaterThanOrEqual(lostAt);
  });

  test('is unknown for a user who was never connected, also after instances have started and stopped', async () => {
    await client.flushDb();
    const [one, other] = [await start(), await start()];
    const userId = randomUUID();
    other.times.dispose();
    await eventually(async () => (await client.sMembers('squad:connected')).length === 1);
    expect(await timeOf(one, userId)).toEqual({ connectedAt: null, goneAt: null });
  });
});
