import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import { openRateLimitStores } from '#server/rest/rate-limit-store.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { openLossyLink } from '../support/lossy-link.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

/** Repeats `attempt` until it succeeds, or until the test's time limit. */
async function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await sleep(50);
    }
  }
}

(hasRedis ? describe : describe.skip)(`Redis${why}`, () => {
  let redis: OwnRedis;
  let connection: RedisConnection;
  let lines: { msg: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const ping = () => connection.run('key', (client) => client.ping());

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    lines = [];
    connection = await RedisConnection.open(
      { redisUrl: redis.url },
      { log, whileLost: 'nothing is counted' },
    );
  });
  afterEach(() => connection.close());

  it('that hangs refuses commands until it answers again, and the log has one line for its loss and one for its return', async () => {
    await eventually(ping);
    redis.hang();
    for (let round = 0; round < 10; round += 1)
      await expect(ping()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 1 });
    expect(connection.isLost).toBe(true);
    // The breaker allows one trial a second; the other commands are refused at once.
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, ping));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    redis.resume();
    await eventually(ping);
    expect(connection.isLost).toBe(false);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Redis does not answer; nothing is counted',
      'Redis answers again',
    ]);
  });

  it('that is killed refuses commands until it answers again, and the log has the same two lines', async () => {
    await eventually(ping);
    const restarted = redis.restart();
    await eventually(async () => expect(connection.isLost).toBe(true));
    await expect(ping()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await restarted;
    await eventually(ping);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Redis does not answer; nothing is counted',
      'Redis answers again',
    ]);
    expect(lines[0]).not.toHaveProperty('err');
  });

  it('does not count as lost if it refuses a command', async () => {
    const withinMillis = 30_000; // not the default, because a busy machine may take longer
    await connection.run('text', (client) => client.set('text', 'a'), withinMillis);
    for (let round = 0; round < 10; round += 1)
      await expect(
        connection.run('text', (client) => client.sAdd('text', 'b'), withinMillis),
      ).rejects.toThrow('WRONGTYPE');
    expect(connection.isLost).toBe(false);
  });

  it('counts no requests while it is unreachable, also from the start, and counts them once it answers again', async () => {
    redis.hang();
    const settings = readSettings(serverSettings, { REDIS_URL: redis.url });
    const stores = await openRateLimitStores('test', settings, log);
    const store = stores('general');
    void store.init?.({ windowMs: 60_000 } as never);
    await expect(store.increment('maya')).rejects.toThrow('could not be read or stored');
    expect(stores.losses()).toEqual({ rateLimits: 'requests are not counted' });
    redis.resume();
    await eventually(async () => store.increment('maya'));
    const { totalHits } = await store.increment('maya');
    expect(totalHits).toBeGreaterThanOrEqual(2);
    expect(stores.losses()).toEqual({});
    await stores.close();
  });

  it('that hung and answers again is reported within a second, though nobody sends a command', async () => {
    await eventually(ping);
    const recovered = Promise.withResolvers<boolean>();
    connection.onRecovered(recovered.resolve);
    redis.hang();
    for (let round = 0; round < 10; round += 1) await ping().catch(() => undefined);
    redis.resume();
    const resumedAt = performance.now();
    expect(await recovered.promise).toBe(true);
    expect(performance.now() - resumedAt).toBeLessThan(withinOnThisMachine(1_000));
  });

  it('gets a new connection in place of one that receives no more messages, which is reported once all channels are subscribed again', async () => {
    const link = await openLossyLink(redis.url);
    const overLink = await RedisConnection.open(
      { redisUrl: link.url },
      { log, whileLost: 'no events arrive' },
    );
    const channels = new RedisChannels(overLink, { log, whileLost: 'no events arrive' });
    const received: string[] = [];
    for (const name of ['news', 'sports']) await channels.subscribe(name, (text) => received.push(text));
    await sleep(1_500); // until the first heartbeat has arrived
    link.dropMessages();
    await connection.run('news', (client) => client.publish('news', 'is lost'));
    const restored = Promise.withResolvers<void>();
    channels.onRestored(restored.resolve);
    await restored.promise;
    for (const name of ['news', 'sports'])
      await connection.run(name, (client) => client.publish(name, `${name} again`));
    await eventually(async () => expect(received).toEqual(['news again', 'sports again']));
    channels.close();
    overLink.close();
    await link.close();
  });

  it('delivers events to a listener that subscribes while the last one unsubscribes', async () => {
    const channels = new RedisChannels(connection, { log, whileLost: 'no events arrive' });
    let stop = await channels.subscribe('news', () => undefined);
    for (let round = 0; round < 50; round += 1) {
      stop();
      if (round % 3 === 1) await new Promise(setImmediate);
      if (round % 3 === 2) await sleep(1);
      const received = Promise.withResolvers<string>();
      stop = await channels.subscribe('news', received.resolve);
      await channels.publish('news', `round ${round}`);
      expect(await received.promise).toBe(`round ${round}`);
    }
    channels.close();
  });
});
