import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createClient } from 'redis';
import { createLogger } from '#server/observability/logger.ts';
import { OwnEntries } from '../../subgraphs/squad/presence/own-entries.redis.ts';
import type { OnlineEntry } from '../../subgraphs/squad/presence/online-entry.ts';
import { PresenceKeys, type PresenceMessage } from '../../subgraphs/squad/presence/presence-keys.redis.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { eventually } from '../support/eventually.ts';
import { openLossyLink } from '../support/lossy-link.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`the presence of an instance in Redis${why}`, () => {
  let redis: OwnRedis;
  let connections: [RedisConnections, RedisConnections];
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    redis = await startRedis();
    const open = () => RedisConnections.open({ redisUrl: redis.url }, createLogger('squad', 'silent'));
    connections = [await open(), await open()];
    client = createClient({ url: redis.url });
    await client.connect();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    client?.destroy();
    for (const each of connections ?? []) each.close();
    await redis?.stop();
  });

  /** Renews as if half a minute had passed: entries are renewed every 20 s. */
  async function renewLater(own: OwnEntries): Promise<void> {
    const later = Date.now() + 30_000;
    jest.spyOn(Date, 'now').mockImplementation(() => later);
    await own.renew().finally(() => void jest.restoreAllMocks());
  }

  function newInstance(throughConnections = connections[0]) {
    const [gymId, instanceId] = [randomUUID(), randomUUID()];
    const own = new OwnEntries(new PresenceKeys(throughConnections, instanceId));
    const other = new PresenceKeys(connections[1], randomUUID());
    const entryOf = (userId: string): OnlineEntry => ({
      userId,
      gymId,
      status: 'AVAILABLE',
      activity: null,
      since: new Date().toISOString(),
      choice: 0,
      updatedAt: Date.now(),
    });
    return {
      gymId,
      instanceId,
      own,
      other,
      key: `squad:presence:{${gymId}}:${instanceId}`,
      comeOnline: (userId: string) => own.set(userId, entryOf(userId)),
      /** Whether another instance reads exactly these users. */
      shows: async (...userIds: string[]): Promise<boolean> => {
        const found = (await other.instancesIn(gymId)).includes(instanceId)
          ? await other.entries(gymId, instanceId)
          : [];
        return JSON.stringify(found.map(({ userId }) => userId).toSorted()) === JSON.stringify(userIds);
      },
    };
  }

  test.each([
    ['the entries of a gym', (gym: { key: string }) => [gym.key]],
    ['the list of the instances of a gym', (gym: { gymId: string }) => [`squad:presence:{${gym.gymId}}`]],
    ['both of them', (gym: { gymId: string; key: string }) => [`squad:presence:{${gym.gymId}}`, gym.key]],
  ])(
    'is complete again after Redis has lost %s, also if another user comes online meanwhile',
    async (_what, lost) => {
      for (const newcomers of [[], ['zoe']]) {
        const instance = newInstance();
        const { own, other, gymId, key, comeOnline, shows } = instance;
        await own.renew();
        for (const userId of ['leo', 'maya']) comeOnline(userId);
        await eventually(() => shows('leo', 'maya'));
        const messages: PresenceMessage[] = [];
        const stop = await other.subscribe(gymId, (message) => messages.push(message));
        await client.del(lost(instance));
        for (const userId of newcomers) {
          comeOnline(userId);
          await eventually(async () => (await client.hExists(key, userId)) === 1);
        }
        await renewLater(own);
        expect(await shows('leo', 'maya', ...newcomers)).toBe(true);
        for (const name of [key, `squad:presence:{${gymId}}`])
          expect(await client.pTTL(name)).toBeGreaterThan(0);
        await eventually(async () => messages.some((message) => 'hello' in message));
        stop();
        own.dispose();
      }
    },
  );

  test('ends with the last user, also if they left while there was no connection to Redis', async () => {
    const link = await openLossyLink(redis.url);
    const throughLink = await RedisConnections.open({ redisUrl: link.url }, createLogger('squad', 'silent'));
    const { own, comeOnline, shows } = newInstance(throughLink);
    await own.renew();
    comeOnline('leo');
    await eventually(() => shows('leo'));
    await link.close();
    own.set('leo', undefined);
    await expect(own.renew()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    const again = await openLossyLink(redis.url, Number(new URL(link.url).port));
    own.lose();
    await eventually(() =>
      own.renew().then(
        () => true,
        () => false,
      ),
    );
    await renewLater(own);
    expect(await shows()).toBe(true);
    own.dispose();
    throughLink.close();
    await again.close();
  });

  test('is not written again if nothing was lost, and ends with the last user', async () => {
    const { own, other, gymId, key, comeOnline, shows } = newInstance();
    await own.renew();
    for (const userId of ['leo', 'maya']) comeOnline(userId);
    await eventually(() => shows('leo', 'maya'));
    const messages: PresenceMessage[] = [];
    const stop = await other.subscribe(gymId, (message) => messages.push(message));
    await renewLater(own);
    own.set('leo', undefined);
    await eventually(() => shows('maya'));
    await renewLater(own);
    own.set('maya', undefined);
    await eventually(async () => (await client.exists(key)) === 0);
    await renewLater(own);
    comeOnline('leo');
    await eventually(() => shows('leo'));
    await renewLater(own);
    expect(messages.filter((message) => 'hello' in message)).toEqual([]);
    expect(await shows('leo')).toBe(true);
    stop();
    own.dispose();
  });
});
