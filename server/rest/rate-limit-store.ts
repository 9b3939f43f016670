import { createHash } from 'node:crypto';
import { MemoryStore, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';

/** Returns the store of each named limit, the same one for the same name. `close` ends the connection of all stores. */
export interface RateLimitStores {
  (limit: string): Store;
  /** What `GET /health/ready` reports while requests cannot be counted; otherwise empty. */
  losses(): Record<string, string>;
  close(): Promise<void>;
}

const WHILE_LOST = 'requests are not counted';

/** With REDIS_URL all replicas of a service count together; without it each process counts for itself. */
export async function openRateLimitStores(
  service: string,
  settings: ServerSettings,
  log: Logger,
): Promise<RateLimitStores> {
  if (!settings.redisUrl || !settings.rateLimits)
    return Object.assign(
      onePerName(() => new MemoryStore()),
      { losses: () => ({}), close: async () => undefined },
    );
  // Only a start with Redis imports the package `redis`, which consists of some 650 files.
  const { RedisConnection } = await import('../redis/redis-connection.ts');
  const { redisUrl } = settings;
  const redis = await RedisConnection.open({ ...settings, redisUrl }, { log, whileLost: WHILE_LOST });
  // The type RedisReply covers the results of the only commands that are sent here, RedisStore's own.
  const send = (key: string | undefined, command: readonly string[]) =>
    redis.send(key, command) as Promise<RedisReply>;
  return Object.assign(
    onePerName(
      (limit) =>
        new RedisStore({
          prefix: `rate-limit:${service}:${limit}:`,
          sendCommandCluster: ({ key, command }) =>
            command[0] === 'SCRIPT' ? loaded(command, send) : send(key, command),
        }),
    ),
    {
      losses: (): Record<string, string> => (redis.isLost ? { rateLimits: WHILE_LOST } : {}),
      close: async () => redis.close(),
    },
  );
}

/**
 * Loads a script at all masters, and returns its name even if Redis does not answer. RedisStore loads its scripts at the
 * start and caches the result for ever, even a failure; but if Redis does not know a script's name, RedisStore loads the
 * script again. The name is the SHA-1 of the script's text (https://redis.io/docs/latest/commands/evalsha/).
 */
async function loaded(
  command: readonly string[],
  send: (key: undefined, command: readonly string[]) => Promise<RedisReply>,
): Promise<RedisReply> {
  try {
    return await send(undefined, command);
  } catch {
    return createHash('sha1')
      .update(command.at(-1) ?? '')
      .digest('hex');
  }
}

function onePerName(make: (limit: string) => Store): (limit: string) => Store {
  const stores = new Map<string, Store>();
  return (limit) => {
    const store = stores.get(limit) ?? make(limit);
    stores.set(limit, store);
    return store;
  };
}
