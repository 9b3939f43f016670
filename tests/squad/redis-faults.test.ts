import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { createLogger } from '#server/observability/logger.ts';
import { RedisJournals } from '../../subgraphs/squad/storage/journal.redis.ts';
import type { JournalKind } from '../../subgraphs/squad/storage/journal.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`squad and its Redis${why}`, () => {
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

  test('a listener that stops and starts again at once receives the writes of another instance', async () => {
    const numbers: JournalKind<readonly number[], { n: number }> = {
      name: 'numbers',
      empty: () => [],
      apply: (list, { n }) => [...list, n],
      compacted: (list) => list.map((n) => ({ n })),
    };
    const log = createLogger('squad', 'silent');
    const connections = await Promise.all([1, 2].map(() => RedisConnections.open(redis.url, log)));
    const [here, there] = connections.map((one) => new RedisJournals(one, log).of(numbers));
    const id = randomUUID();
    let following = await here!.follow(id, () => undefined);
    for (let n = 0; n < 30; n += 1) {
      following.stop();
      if (n % 3 === 1) await new Promise(setImmediate);
      if (n % 3 === 2) await sleep(1);
      const received = Promise.withResolvers<void>();
      following = await here!.follow(id, (list) => list.includes(n) && received.resolve());
      await there!.change(id, () => [{ n }]);
      await received.promise;
    }
    expect((await here!.read(id)).length).toBe(30);
    following.stop();
    for (const connection of connections) connection.close();
  });

  test('a journal expires also after it was shortened, and after Redis has lost it', async () => {
    const last: JournalKind<number, { n: number }> = {
      name: 'last',
      keepDays: 1,
      empty: () => 0,
      apply: (_last, { n }) => n,
      compacted: (n) => [{ n }],
    };
    const log = createLogger('squad', 'silent');
    const connections = await RedisConnections.open(redis.url, log);
    const journal = new RedisJournals(connections, log).of(last);
    const client = createClient({ url: redis.url });
    client.on('error', () => undefined);
    await client.connect();
    const id = randomUUID();
    /** Of each key of the journal: whether it expires within the day. */
    const expiry = async (): Promise<Record<string, boolean>> => {
      const expires: Record<string, boolean> = {};
      for await (const keys of client.scanIterator({ MATCH: `*${id}*` }))
        for (const key of keys) {
          const seconds = await client.ttl(key);
          expires[key.includes('meta') ? 'meta' : 'records'] = seconds > 0 && seconds <= 86_400;
        }
      return expires;
    };
    const records = Array.from({ length: 1_001 }, (_, n) => ({ n }));
    await journal.change(id, () => records);
    expect(await expiry()).toEqual({ records: true, meta: true });
    const key = (await client.keys(`*${id}*`)).find((one) => !one.includes('meta')) ?? '';
    expect(await client.lLen(key)).toBe(1);

    await redis.restart();
    await eventually(async () => (await journal.read(id).catch(() => undefined)) === 1_000);
    expect(await expiry()).toEqual({ records: true, meta: true });
    client.destroy();
    connections.close();
  });

  test('if Redis hangs, requests that need it are 503 with Retry-After, and /health/live is 200', async () => {
    const token = await platform.demo('maya@iron.test');
    const open = () => platform.rest('squad', 'POST', '/squads', { token, body: {} });
    expect((await open()).status).toBe(201);
    redis.hang();
    for (let round = 0; round < 4; round += 1) {
      const answer = await open();
      expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const graph = await platform.graph('squad', '{ squadInvites { nodes { id } } }', {}, { token });
    expect(graph.errors?.[0]?.extensions).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    expect(await platform.rest('squad', 'GET', '/health/ready')).toMatchObject({ status: 503 });
    expect(await platform.rest('squad', 'GET', '/health/live')).toMatchObject({ status: 200 });
    redis.resume();
    while ((await open()).status !== 201) await sleep(100);
  });
});
