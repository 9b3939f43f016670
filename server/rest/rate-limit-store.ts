import { MemoryStore, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';

/** Gives each named limit its store, always the same; `close` ends the connection behind them. */
export interface RateLimitStores {
  (limit: string): Store;
  close(): Promise<void>;
}

/** With REDIS_URL all replicas of a service count together; without it each process counts for itself. */
export async function openRateLimitStores(
  service: string,
  settings: ServerSettings,
  log: Logger,
): Promise<RateLimitStores> {
  if (!settings.redisUrl || !settings.rateLimits)
    return Object.assign(
      onePerName(() => new MemoryStore()),
      { close: async () => undefined },
    );
  // Loaded only here: some 650 files that a start without it has no use for.
  const { createClient } = await import('redis');
  const redis = createClient({
    url: settings.redisUrl,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5_000) },
  });
  redis.on('error', (error: unknown) =>
    log.warn({ err: error }, 'Redis does not answer; requests pass uncounted'),
  );
  await redis.connect().catch(() => undefined); // it goes on trying by itself
  return Object.assign(
    onePerName(
      (limit) =>
        new RedisStore({
          prefix: `rate-limit:${service}:${limit}:`,
          sendCommand: (...command: string[]) => redis.sendCommand<RedisReply>(command),
        }),
    ),
    {
      close: async () => redis.destroy(),
    },
  );
}

function onePerName(make: (limit: string) => Store): (limit: string) => Store {
  const stores = new Map<string, Store>();
  return (limit) => {
    const store = stores.get(limit) ?? make(limit);
    stores.set(limit, store);
    return store;
  };
}
