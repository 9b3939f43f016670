import { createHash } from 'node:crypto';
import { MemoryStore, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';

/** Gives each named limit its store, always the same; `close` ends the connection behind them. */
export interface RateLimitStores {
  (limit: string): Store;
  /** What is not counted now, for readiness. */
  losses(): Record<string, string>;
  close(): Promise<void>;
}

const WITHOUT = 'requests pass uncounted';

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
  // Loaded only here: some 650 files that a start without it has no use for.
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
 * A script's name is the SHA-1 of its text, whether Redis has it or not (https://redis.io/docs/latest/commands/evalsha/).
 * RedisStore keeps for ever what loading gave at the start, a failure too; a name that Redis does not know makes it
 * load the script again.
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
