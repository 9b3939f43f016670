import type { Logger } from '#server/observability/logger.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { MemoryWrites, type Writes } from './writes.ts';

/** With REDIS_URL all replicas of the gateway are notified of each other's mutations. */
export async function openWrites(settings: RedisSettings, log: Logger): Promise<Writes> {
  const { redisUrl } = settings;
  if (redisUrl === undefined) return new MemoryWrites();
  // Loaded only if needed, because the Redis client consists of about 650 files.
  const { RedisWrites } = await import('./writes.redis.ts');
  return RedisWrites.open({ ...settings, redisUrl }, log);
}
