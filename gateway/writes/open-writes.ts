import type { Logger } from '#server/observability/logger.ts';
import { MemoryWrites, type Writes } from './writes.ts';

/** With REDIS_URL all replicas of the gateway learn of each other's mutations. */
export async function openWrites(
  { redisUrl }: { redisUrl?: string | undefined },
  log: Logger,
): Promise<Writes> {
  if (redisUrl === undefined) return new MemoryWrites();
  // Loaded only here: some 650 files that a start without Redis has no use for.
  const { RedisWrites } = await import('./writes.redis.ts');
  return RedisWrites.open(redisUrl, log);
}
