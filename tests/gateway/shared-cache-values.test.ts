import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { changeKeysOf, ownKind } from '#server/changes/change-keys.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import type { SharedPolicy } from '../../gateway/cache/fetch-policy.ts';
import { CacheMetrics } from '../../gateway/cache/cache-metrics.ts';
import { RedisFollowedChanges } from '../../gateway/cache/followed-changes.redis.ts';
import { SharedCache, type CacheUse } from '../../gateway/cache/shared-cache.ts';
import { RedisSharedValues } from '../../gateway/cache/shared-values.redis.ts';
import type { GatewayContext } from '../../gateway/context/gateway-context.ts';
import { eventually } from '../support/eventually.ts';
import { isCacheTested } from '../support/shared-cache.ts';
import { startRedis, type OwnRedis } from '../support/redis.ts';

if (!isCacheTested)
  console.warn('Cached values are not tested: REDIS_URL is not set, or redis-server is not installed.');

const SEEDS = Number(process.env.CACHE_VALUES_SEEDS ?? 20);
const KEYS = changeKeysOf('proof of the gym service');
const log = createLogger('gateway', 'silent');
const policy: SharedPolicy = {
  maxAgeSeconds: 1,
  isPrivate: false,
  kinds: ['gym:Gym'],
  delayed: [],
  services: ['gym'],
};
// The casts: the cache reads nothing else of a context than the viewer.
const context = { viewer: { kind: 'anonymous' } } as unknown as GatewayContext;
const userOf = (userId: string) =>
  ({ viewer: { kind: 'user', userId, role: 'MEMBER', gymId: 'gym' } }) as unknown as GatewayContext;

let redis: OwnRedis;
let client: ReturnType<typeof createClient>;

(isCacheTested ? describe : describe.skip)('values that gateways share', () => {
  const opened: { close(): void }[] = [];
  let proving: NodeJS.Timeout;

  beforeAll(async () => {
    redis = await startRedis();
    client = createClient({ url: redis.url });
    client.on('error', () => undefined);
    await client.connect();
    await change('Gym');
    // A replica of the service also writes this key, as proof that it notes all changes; see ChangeNotices.
    const prove = () => void client.set(KEYS.followed, '1', { PX: 600 }).catch(() => undefined);
    prove();
    proving = setInterval(prove, 100);
  });
  afterAll(async () => {
    clearInterval(proving);
    for (const one of opened) one.close();
    client.destroy();
    await redis.stop();
  });

  async function change(kind: string): Promise<void> {
    await client.hSet(KEYS.tokens, { [kind]: randomUUID(), '*': randomUUID() });
    await client.publish(KEYS.channel, '');
  }

  /** The cache of one gateway. */
  async function gateway({ staleSeconds = 0, maxBytes = 1024 * 1024, namespace = randomUUID() } = {}) {
    const connection = await RedisConnection.open({ redisUrl: redis.url }, { log, whileLost: '' });
    const changes = new RedisFollowedChanges(connection, log, () => KEYS);
    const values = new RedisSharedValues(connection, namespace, maxBytes);
    const metrics = new CacheMetrics(createMetrics('gateway'));
    const cache = new SharedCache({ changes, values, metrics, staleSeconds, localMaxBytes: 1024 * 1024 });
    opened.push({ close: () => (changes.close(), connection.close()) });
    changes.follow(['gym']);
    return { cache, values, changes };
  }

  const useOf = (cache: SharedCache, of = policy, by = context): Promise<CacheUse> =>
    eventually(async () => cache.use(of, by));
  const read = async (use: CacheUse, ...parts: string[]) =>
    (await use.find('fetches', [use.digestOf(...parts)]))[0];

  it('are not found after a change, and not stored by a request that began before it', async () => {
    const { cache } = await gateway();
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const before = await useOf(cache);
      const steps = [
        async () => before.store(before.digestOf('a'), '{"old":true}'),
        async () => change('Gym'),
        async () => void (await read(before, 'a')),
      ];
      // All three at once; or one after the other, with each of them as the first.
      if (seed % 2 === 0) await Promise.all(steps.map((step) => step()));
      else for (let at = 0; at < 3; at += 1) await steps[(at + seed) % 3]?.();
      const changed = await eventually(async () => {
        const use = cache.use(policy, context);
        return use && use.digestOf('a') !== before.digestOf('a') && use;
      });
      before.store(changed.digestOf('a'), '{"old":true}');
      expect(await read(changed, 'a')).toBeUndefined();
    }
  });

  it('are found by another gateway, with their age', async () => {
    const namespace = randomUUID();
    const [one, other] = [await gateway({ namespace }), await gateway({ namespace })];
    const lasting = { ...policy, maxAgeSeconds: 60 };
    const use = await useOf(one.cache, lasting);
    use.store(use.digestOf('a'), '{"n":1}');
    await sleep(1_100);
    expect(await eventually(async () => read(await useOf(other.cache, lasting), 'a'))).toMatchObject({
      text: '{"n":1}',
      isStale: false,
      ageSeconds: 1,
    });
  });

  it('of one user are not found for another; only a change for this user, or for all, makes them old', async () => {
    const { cache } = await gateway();
    const own = { ...policy, isPrivate: true };
    const [one, other] = [
      userOf('00000000-0000-7000-8000-0000000000aa'),
      userOf('00000000-0000-7000-8000-0000000000bb'),
    ];
    const use = await useOf(cache, own, one);
    expect((await useOf(cache, own, other)).digestOf('a')).not.toBe(use.digestOf('a'));
    await change(ownKind('Gym', '00000000-0000-7000-8000-0000000000bb'));
    await sleep(300);
    expect((await useOf(cache, own, one)).digestOf('a')).toBe(use.digestOf('a'));
    for (const kind of [ownKind('Gym', '00000000-0000-7000-8000-0000000000aa'), 'Gym']) {
      const before = (await useOf(cache, own, one)).digestOf('a');
      await change(kind);
      await eventually(async () => cache.use(own, one)?.digestOf('a') !== before && cache.use(own, one));
    }
    expect(cache.use(own, context)).toBeUndefined();
  });

  it('are not stored soon after a change that other services notice late', async () => {
    const { cache } = await gateway();
    const late = {
      ...policy,
      maxAgeSeconds: 60,
      kinds: ['gym:Features', 'gym:Gym'],
      delayed: ['gym:Features'],
    };
    await change('Features');
    const changedAt = performance.now();
    const storedAt = await eventually(async () => {
      const use = await useOf(cache, late);
      use.store(use.digestOf('a'), '{"n":1}');
      return (await read(use, 'a')) && performance.now();
    });
    expect(storedAt - changedAt).toBeGreaterThan(5_000);
  });

  it('are returned for a while after their maxAge if the settings say so, but not after a change', async () => {
    const stale = await gateway({ staleSeconds: 60 });
    const strict = await gateway();
    for (const { cache } of [stale, strict]) {
      const use = await useOf(cache);
      use.store(use.digestOf('a'), '{"n":1}');
      expect(await read(use, 'a')).toMatchObject({ isStale: false });
    }
    await sleep(1_100);
    expect(await read(await useOf(stale.cache), 'a')).toMatchObject({ text: '{"n":1}', isStale: true });
    expect(await read(await useOf(strict.cache), 'a')).toBeUndefined();
    const before = (await useOf(stale.cache)).digestOf('a');
    await change('Gym');
    await eventually(async () => stale.cache.use(policy, context)?.digestOf('a') !== before);
    expect(await read(await useOf(stale.cache), 'a')).toBeUndefined();
  });

  it('are ignored if they are not what a gateway stores', async () => {
    const namespace = randomUUID();
    const { cache } = await gateway({ namespace });
    for (const stored of [
      '',
      'x',
      '{"n":1}',
      '1 2',
      `${Date.now()} 60 [1]`,
      `${Date.now()} 60 {"n":`,
      `x 60 {}`,
    ]) {
      const use = await useOf(cache);
      const digest = use.digestOf(stored);
      await client.hSet(`{gateway:cache:${namespace}}:current`, digest, stored);
      expect((await use.find('fetches', [digest]))[0]).toBeUndefined();
    }
  });

  it('take no more bytes in Redis than allowed, and a value of a quarter of them is not stored', async () => {
    const maxBytes = 64 * 1024;
    const { values } = await gateway({ maxBytes });
    const value = (length: number) => ({
      text: JSON.stringify({ text: 'x'.repeat(length) }),
      storedAt: Date.now(),
      maxAgeSeconds: 60,
    });
    for (let n = 0; n < 200; n += 1) {
      await values.add(`digest ${n}`, value(1_000));
      expect((await values.bytes()) ?? 0).toBeLessThanOrEqual(maxBytes);
    }
    const found = await values.find(['digest 199', 'digest 0']);
    expect(found.map(Boolean)).toEqual([true, false]);
    await values.add('large', value(maxBytes / 4));
    expect(await values.find(['large'])).toEqual([undefined]);
  });

  it('are not used without proof that all changes are noted', async () => {
    const { cache } = await gateway();
    await useOf(cache);
    clearInterval(proving);
    await eventually(async () => cache.use(policy, context) === undefined, 10_000);
    expect(await client.exists(KEYS.followed)).toBe(0);
  });
});
