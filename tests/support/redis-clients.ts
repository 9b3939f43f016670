import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect } from '@jest/globals';
import { pino } from 'pino';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import { openRateLimitStores } from '#server/rest/rate-limit-store.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { eventually } from './eventually.ts';
import { whyWithout } from './redis-installations.ts';

export type UrlSettings = RedisSettings & { redisUrl: string };

/** A `describe` that is skipped on a machine without these programs. */
export function describeWith(name: string, programs: string[], body: () => void): void {
  const why = whyWithout(...programs);
  (why ? describe.skip : describe)(`${name}${why}`, body);
}

/** The services' connections to Redis. */
export interface RedisConnected {
  connection: RedisConnection;
  channels: RedisChannels;
  close(): void;
}

/** Returns a function that connects until the end of the test, and the lines of the log of the test. */
export function redisClients() {
  const lines: string[] = [];
  const opened: RedisConnected[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
    lines.length = 0;
  });
  const open = async (settings: UrlSettings): Promise<RedisConnected> => {
    const one = await connected(settings, lines);
    opened.push(one);
    return one;
  };
  return { open, lines };
}

/** @param lines get the lines of the log */
export async function connected(settings: UrlSettings, lines: string[] = []): Promise<RedisConnected> {
  const options = { log: logTo(lines), whileLost: 'nothing is shared' };
  const connection = await RedisConnection.open(settings, options);
  const channels = new RedisChannels(connection, options);
  return {
    connection,
    channels,
    close() {
      channels.close();
      connection.close();
    },
  };
}

const logTo = (lines: string[]) =>
  pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

/** Expects that commands, messages and shared rate limits work. */
export async function expectToWork(settings: UrlSettings): Promise<void> {
  const [one, other] = [await connected(settings), await connected(settings)];
  try {
    expect(one.connection.isLost).toBe(false);
    const received: string[] = [];
    for (let number = 0; number < 20; number += 1) {
      const key = `{${randomUUID()}}`; // another slot of a cluster
      await one.connection.run(key, (client) => client.set(key, String(number)));
      expect(await other.connection.run(key, (client) => client.get(key))).toBe(String(number));
      await one.channels.subscribe(key, (message) => received.push(message));
      await other.channels.publish(key, `message ${number}`);
    }
    await eventually(async () => received.length === 20);
  } finally {
    one.close();
    other.close();
  }
  await expectSharedLimits(settings);
}

async function expectSharedLimits({ redisUrl, ...files }: UrlSettings): Promise<void> {
  const settings = { ...readSettings(serverSettings, { REDIS_URL: redisUrl }), ...files };
  const service = randomUUID();
  const stores = await Promise.all([1, 2].map(() => openRateLimitStores(service, settings, logTo([]))));
  const [one, other] = stores.map((all) => all('general'));
  for (const store of [one, other]) void store?.init?.({ windowMs: 60_000 } as never);
  for (const caller of ['maya', 'leo', 'zoe', 'kim']) {
    await one?.increment(caller);
    expect(await other?.increment(caller)).toMatchObject({ totalHits: 2 });
  }
  for (const all of stores) await all.close();
}

/** Sends a numbered message every 20 ms. `stop` returns how many milliseconds the calls took, in ascending order. */
export function traffic({ channels }: RedisConnected, name: string) {
  const millis: number[] = [];
  const sent: number[] = [];
  let isRunning = true;
  const running = (async () => {
    for (let number = 0; isRunning; number += 1) {
      const begunAt = performance.now();
      await channels.publish(name, String(number)).then(
        () => sent.push(number),
        () => undefined,
      );
      millis.push(performance.now() - begunAt);
      await sleep(20);
    }
  })();
  return {
    sent,
    async stop() {
      isRunning = false;
      await running;
      return millis.toSorted((one, other) => one - other);
    },
  };
}
