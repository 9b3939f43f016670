import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { createLogger } from '#server/observability/logger.ts';
import { RedisHub } from '../../subgraphs/squad/hub.redis.ts';
import type { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { FIRST_CHOICE } from '../../subgraphs/squad/presence/online-entry.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { eventually } from '../support/eventually.ts';
import { startCluster, whyWithout, type ClusterInstallation } from '../support/redis-installations.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

const log = createLogger('squad', 'silent');
const graceMillis = 200;
/** Presence uses no journals. */
const noJournals = { listeners: 0, close: async () => undefined } as unknown as MemoryHub['journals'];
const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`with several instances and Redis${why}`, () => {
  let redis: OwnRedis;
  let client: ReturnType<typeof createClient>;
  const hubs: RedisHub[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    client = createClient({ url: redis.url });
    client.on('error', () => undefined);
    await client.connect();
  });
  afterEach(async () => void (await Promise.all(hubs.splice(0).map((hub) => hub.dispose()))));
  afterAll(async () => {
    client?.destroy();
    await redis?.stop();
  });

  const start = async (): Promise<{ hub: RedisHub; connections: RedisConnections }> => {
    const connections = await RedisConnections.open({ redisUrl: redis.url }, log);
    const hub = await RedisHub.start({ graceMillis }, noJournals, connections, log);
    hubs.push(hub);
    return { hub, connections };
  };
  const enter = async (hub: RedisHub, gymId: string, userId: string = randomUUID()) => {
    await hub.openGym(gymId);
    const end = hub.connect(userId, gymId);
    hub.announce({ userId, gymId, activity: null, ...FIRST_CHOICE });
    return { userId, end };
  };
  const online = (hub: RedisHub, gymId: string) => [...hub.onlineIn(gymId)].map(({ userId }) => userId);

  test('an instance follows presence in the gyms of its own connections, and in another gym only after a request for it', async () => {
    const [{ hub: one }, { hub: other }] = await Promise.all([start(), start()]);
    const [gym, distant] = [randomUUID(), randomUUID()];
    const [maya, leo] = [await enter(one, gym), await enter(other, gym)];
    const zoe = await enter(other, distant);
    await eventually(async () => online(one, gym).length === 2 && online(other, gym).length === 2);
    expect(online(one, distant)).toEqual([]);
    const channels = await client.pubSubNumSub([`squad:presence:{${gym}}`, `squad:presence:{${distant}}`]);
    expect(Object.values(channels)).toEqual([2, 1]);
    await one.openGymOf(zoe.userId);
    expect(one.onlineEntry(zoe.userId)).toMatchObject({ gymId: distant });
    maya.end();
    leo.end();
    await eventually(async () => online(one, gym).length === 0 && online(other, gym).length === 0);
  });

  test('all keys of a gym have its hash tag, and expire', async () => {
    const { hub } = await start();
    const gym = randomUUID();
    await enter(hub, gym);
    await eventually(async () => (await client.keys(`*${gym}*`)).length === 2);
    for (const key of await client.keys(`*${gym}*`)) {
      expect(key).toContain(`{${gym}}`);
      expect(await client.pTTL(key)).toBeGreaterThan(0);
    }
  });

  test('the users of an instance that has crashed are offline once its lease and then the grace period are over', async () => {
    const [{ hub: one }, { connections, hub: dead }] = await Promise.all([start(), start()]);
    const gym = randomUUID();
    const maya = await enter(one, gym);
    await enter(dead, gym);
    await eventually(async () => online(one, gym).length === 2);
    connections.close(); // from now on this instance renews no keys
    // Shorter leases, so that the test need not wait for a whole one; the other instance renews its own in time.
    for (const lease of await client.keys('squad:instance:*')) await client.pExpire(lease, 3_000);
    await eventually(async () => online(one, gym).length === 1, 30_000);
    expect(online(one, gym)).toEqual([maya.userId]);
    const { hub: fresh } = await start();
    await fresh.openGym(gym);
    expect(online(fresh, gym)).toEqual([maya.userId]);
  });

  test('a user who announces their presence in another gym at another instance is no longer online in the first gym', async () => {
    const [{ hub: one }, { hub: other }] = await Promise.all([start(), start()]);
    const [before, after] = [randomUUID(), randomUUID()];
    const { userId } = await enter(one, before);
    await eventually(async () => (await client.exists(`squad:presence:gym-of:{${userId}}`)) === 1);
    await enter(other, after, userId);
    await eventually(async () => online(one, before).length === 0);
    expect(online(other, after)).toEqual([userId]);
  });

  test('after `withdraw` a user is offline at every instance, also at one that opens the gym later', async () => {
    const [{ hub: one }, { hub: other }] = await Promise.all([start(), start()]);
    const gym = randomUUID();
    const { userId } = await enter(one, gym);
    other.withdraw(userId);
    await eventually(async () => online(one, gym).length === 0);
    await other.openGym(gym);
    expect(online(other, gym)).toEqual([]);
  });
});

const whyNoCluster = whyWithout('redis-server', 'redis-cli');

(whyNoCluster ? describe.skip : describe)(`presence in a Redis Cluster${whyNoCluster}`, () => {
  let cluster: ClusterInstallation;
  const hubs: RedisHub[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(hubs.map((hub) => hub.dispose()));
    await cluster?.stop();
  });
  const start = async (): Promise<RedisHub> => {
    const connections = await RedisConnections.open({ redisUrl: cluster.url }, log);
    const hub = await RedisHub.start({ graceMillis }, noJournals, connections, log);
    hubs.push(hub);
    return hub;
  };
  const enter = async (hub: RedisHub, gymId: string) => {
    const userId = randomUUID();
    await hub.openGym(gymId);
    hub.connect(userId, gymId);
    hub.announce({ userId, gymId, activity: null, ...FIRST_CHOICE });
  };
  const counts = (hub: RedisHub, gyms: readonly string[]) => gyms.map((gym) => [...hub.onlineIn(gym)].length);

  test('is the same at every instance for all gyms, whichever node has their keys, also after a node was replaced by its replica', async () => {
    const [one, other] = [await start(), await start()];
    const gyms = Array.from({ length: 12 }, () => randomUUID());
    for (const gym of gyms) await Promise.all([enter(one, gym), enter(other, gym)]);
    const all = (count: number) => gyms.map(() => count);
    const allGymsHave = async (count: number) => {
      for (const hub of [one, other]) if (counts(hub, gyms).some((found) => found !== count)) return false;
      return true;
    };
    await eventually(() => allGymsHave(2));
    await cluster.masters[0]!.kill();
    for (const gym of gyms) await Promise.all([enter(one, gym), enter(other, gym)]);
    await eventually(() => allGymsHave(4), 30_000);
    for (const gym of gyms) await enter(one, gym);
    await eventually(() => allGymsHave(5), 5_000);
    const third = await start();
    await Promise.all(gyms.map((gym) => third.openGym(gym)));
    expect(counts(third, gyms)).toEqual(all(5));
    expect(third.losses()).toEqual({});
  }, 90_000);
});
