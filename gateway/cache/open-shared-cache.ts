import { secretsOf, forwardingProofFor } from '#server/auth/service-secret.ts';
import { changeKeysOf, namespaceOf } from '#server/changes/change-keys.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';
import type { Writes } from '../writes/writes.ts';
import { CacheMetrics } from './cache-metrics.ts';
import type { FollowedChanges } from './followed-changes.ts';
import { SharedCache } from './shared-cache.ts';

export interface OpenSharedCache {
  readonly cache: SharedCache;
  readonly changes: FollowedChanges;
  losses(): Record<string, string>;
  close(): void;
}

const MEBIBYTE = 1024 * 1024;

/**
 * With REDIS_URL the gateways share a cache. Only services of the platform tell of their changes, so there is none for
 * another supergraph.
 */
export async function openSharedCache(
  settings: GatewaySettings,
  writes: Writes,
  { metrics: registry, log }: { metrics: Metrics; log: Logger },
): Promise<OpenSharedCache | undefined> {
  const metrics = new CacheMetrics(registry);
  const { redisUrl } = settings;
  if (redisUrl === undefined || !settings.sharedCache || !isOwnSupergraph(settings)) return undefined;
  // Loaded only if needed, because the Redis client consists of about 650 files.
  const [{ RedisConnection }, { RedisFollowedChanges, WHILE_LOST }, { RedisSharedValues }] =
    await Promise.all([
      import('#server/redis/redis-connection.ts'),
      import('./followed-changes.redis.ts'),
      import('./shared-values.redis.ts'),
    ]);
  const { forwarding: key } = await secretsOf('gateway', settings);
  const redis = await RedisConnection.open({ ...settings, redisUrl }, { log, whileLost: WHILE_LOST });
  const changes = new RedisFollowedChanges(redis, log, (service) =>
    isServiceName(service) ? changeKeysOf(forwardingProofFor(key, service)) : undefined,
  );
  const cache = new SharedCache({
    changes,
    values: new RedisSharedValues(redis, namespaceOf(key), settings.sharedCacheMebibytes * MEBIBYTE),
    metrics,
    staleSeconds: settings.sharedCacheStaleSeconds,
    localMaxBytes: settings.sharedCacheLocalMebibytes * MEBIBYTE,
  });
  const stopListening = writes.onWrite((write) => cache.writers.onWrite(write));
  return {
    cache,
    changes,
    losses: () => changes.losses(),
    close() {
      stopListening();
      changes.close();
      redis.close();
    },
  };
}

const isServiceName = (name: string): name is ServiceName =>
  (SERVICE_NAMES as readonly string[]).includes(name);
