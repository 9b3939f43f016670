import { createHash } from 'node:crypto';
import { MemoryStore, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';

/** Returns the store of each named limit, always the same one; `close` ends the connection behind them. */
export interface RateLimitStores {
  (limit: string): Store;
  /** The limits that are not counted at the moment, for readiness. */
  losses(): Record<string, string>;
  close(): Promise<void>;
}

const WITHOUT = 'requests are not counted';

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
  // Imported only here: it consists of some 650 files, which a start without Redis does not need.
  const { RedisConnection } = await import('../redis/redis-connection.ts');
  const redis = await RedisConnection.open(settings.redisUrl, { log, without: WITHOUT });
  const send = (...command: string[]) => redis.run((client) => client.sendCommand<RedisReply>(command));
  return Object.assign(
    onePerName(
      (limit) =>
        new RedisStore({
          prefix: `rate-limit:${service}:${limit}:`,
          sendCommand: (...command: string[]) =>
            command[0] === 'SCRIPT' ? loaded(command, send) : send(...command),
        }),
    ),
    {
      losses: (): Record<string, string> => (redis.isLost ? { rateLimits: WITHOUT } : {}),
      close: async () => redis.close(),
    },
  );
}

/**
 * A script's name is the SHA-1 of its text, whether Redis has loaded it or not (https://redis.io/docs/latest/commands/evalsha/).
 * RedisStore caches the result of loading at the start for ever, even a failure. With a name that Redis does not have,
 * it loads the script again.
 */
async function loaded(
  command: readonly string[],
  send: (...command: string[]) => Promise<RedisReply>,
): Promise<RedisReply> {
  try {
    return await send(...command);
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
