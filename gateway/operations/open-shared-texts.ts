import type { Logger } from '#server/observability/logger.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import type { SharedTexts } from './persisted-operations.ts';

interface OpenSharedTexts extends SharedTexts {
  close(): void;
}

/** With REDIS_URL all replicas of the gateway know the automatic persisted queries of each other. */
export async function openSharedTexts(
  settings: RedisSettings,
  log: Logger,
): Promise<OpenSharedTexts | undefined> {
  const { redisUrl } = settings;
  if (redisUrl === undefined) return undefined;
  // Loaded only if needed, because the Redis client consists of about 650 files.
  const { RedisSharedTexts } = await import('./shared-texts.redis.ts');
  return RedisSharedTexts.open({ ...settings, redisUrl }, log);
}
