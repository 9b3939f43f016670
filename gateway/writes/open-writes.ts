import type { Logger } from '#server/observability/logger.ts';
import { MemoryWrites, type Writes } from './writes.ts';

/** With REDIS_URL all replicas of the gateway are notified of each other's mutations. */
export async function openWrites(
  { redisUrl }: { redisUrl?: string | undefined },
  log: Logger,
): Promise<Writes> {
  if (redisUrl === undefined) return new MemoryWrites();
  // Loaded only if needed, because the Redis client consists of about 650 files.
  const { RedisWrites } = await import('./writes.redis.ts');
  return RedisWrites.open(redisUrl, log);
}
