import { createHash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import type { Viewer } from '#server/auth/viewer.ts';
import { isJsonObject, jsonIn } from '#server/json-object.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { viewerScope } from '../subscriptions/sharing-scope.ts';
import type { CacheMetrics, CacheName } from './cache-metrics.ts';
import type { SharedPolicy } from './fetch-policy.ts';
import type { FollowedChanges } from './followed-changes.ts';
import { RecentWriters } from './recent-writers.ts';
import type { RedisSharedValues, SharedValue } from './shared-values.redis.ts';

interface SharedCacheOptions {
  changes: FollowedChanges;
  values: RedisSharedValues;
  metrics: CacheMetrics;
  /** How long after its `maxAge` a value is still returned, while it is fetched again. 0: not at all. */
  staleSeconds: number;
  localMaxBytes: number;
}

interface LocalValue extends SharedValue {
  readonly kinds: readonly string[];
}

export interface FoundValue {
  /** A JSON object. */
  readonly text: string;
  readonly ageSeconds: number;
  /** Whether its `maxAge` is over, so that the caller has to fetch it again. */
  readonly isStale: boolean;
}

const MAX_LOCAL_ENTRIES = 20_000;

/**
 * Responses, and answers to fetches, that all gateways share in Redis, with a small local layer in front. The key of a value
 * contains everything that decides it: the operation, the variables, the viewer's role and gym or, for a private value, the
 * viewer, and the version of the data. A change gives the data another version, so that the old value is not found any more,
 * even if it is stored after the change.
 */
export class SharedCache {
  readonly writers = new RecentWriters();
  readonly metrics: CacheMetrics;
  private readonly changes: FollowedChanges;
  private readonly values: RedisSharedValues;
  private readonly staleSeconds: number;
  private readonly local: LRUCache<string, LocalValue>;
  /** The digests of stale values that are being fetched again. */
  private readonly refreshing = new Set<string>();

  constructor({ changes, values, metrics, staleSeconds, localMaxBytes }: SharedCacheOptions) {
    this.changes = changes;
    this.values = values;
    this.staleSeconds = staleSeconds;
    this.metrics = metrics;
    metrics.bytesInRedis = () => values.bytes();
    this.local = boundedCache<string, LocalValue>({
      name: 'shared_values',
      maxEntries: MAX_LOCAL_ENTRIES,
      maxBytes: localMaxBytes,
      bytesOf: ({ text }, digest) => bytesOfText(text) + bytesOfText(digest) + 200,
      onDrop: (reason) => this.metrics.evictions.inc({ layer: 'local', reason }),
    });
    changes.onChange((kinds) => this.evict(kinds));
  }

  get staleWhileRevalidateSeconds(): number {
    return this.staleSeconds;
  }

  /** Begins the use of the cache for one request; undefined if it may not be used now. */
  use(policy: SharedPolicy, context: GatewayContext): CacheUse | undefined {
    // A subgraph may answer otherwise with headers of the client, which the key does not contain.
    if (context.forwarded !== undefined) return undefined;
    const scope = scopeOf(policy, context.viewer);
    if (scope === undefined) return undefined;
    if (this.writers.has(context, policy.services)) {
      this.metrics.bypasses.inc({ reason: 'own write' });
      return undefined;
    }
    const userId = context.viewer.kind === 'user' ? context.viewer.userId : undefined;
    const version = this.changes.versionOf(policy, userId);
    if (version !== undefined) return new CacheUse(this, policy, { scope, version, userId });
    this.metrics.bypasses.inc({ reason: 'without notices' });
    return undefined;
  }

  /** In the order of the digests. */
  async find(
    name: CacheName,
    policy: SharedPolicy,
    digests: readonly string[],
  ): Promise<(FoundValue | undefined)[]> {
    const found = digests.map((digest) => this.usable(this.local.get(digest)));
    const missing = [...found.keys()].filter((at) => found[at] === undefined);
    if (missing.length < found.length)
      this.metrics.hits.inc({ cache: name, layer: 'local' }, found.length - missing.length);
    if (missing.length === 0) return found;
    const inRedis = await this.values.find(missing.map((at) => digests[at] ?? ''));
    let misses = 0;
    for (const [index, at] of missing.entries()) {
      const value = inRedis[index];
      const usable = value && isJsonObject(jsonIn(value.text)) ? this.usable(value) : undefined;
      if (!value || !usable) {
        misses += 1;
        continue;
      }
      found[at] = usable;
      this.keep(digests[at] ?? '', value, policy);
    }
    if (misses < missing.length)
      this.metrics.hits.inc({ cache: name, layer: 'redis' }, missing.length - misses);
    if (misses > 0) this.metrics.misses.inc({ cache: name }, misses);
    return found;
  }

  store(digest: string, text: string, policy: SharedPolicy): void {
    const value = { text, storedAt: Date.now(), maxAgeSeconds: policy.maxAgeSeconds };
    this.keep(digest, value, policy);
    void this.values.add(digest, value);
  }

  /** Whether a value that was read with this version is still the present one, so that it may be stored. */
  isPresent(policy: SharedPolicy, version: string, userId: string | undefined): boolean {
    return this.changes.versionOf(policy, userId) === version && this.changes.areSettled(policy.delayed);
  }

  /** Runs `fetch` unless the value is being fetched already. */
  refresh(digest: string, fetch: () => Promise<void>): void {
    if (this.refreshing.has(digest)) return;
    this.refreshing.add(digest);
    void fetch()
      .catch(() => undefined) // the next request tries again
      .finally(() => this.refreshing.delete(digest));
  }

  private keep(digest: string, value: SharedValue, { kinds }: SharedPolicy): void {
    const until = value.storedAt + (value.maxAgeSeconds + this.staleSeconds) * 1000;
    const ttl = until - Date.now();
    if (ttl > 0) this.local.set(digest, { ...value, kinds }, { ttl });
  }

  private usable(value: SharedValue | undefined): FoundValue | undefined {
    if (!value) return undefined;
    // The clock of another gateway may be ahead.
    const ageSeconds = Math.max(0, Math.floor((Date.now() - value.storedAt) / 1000));
    if (ageSeconds >= value.maxAgeSeconds + this.staleSeconds) return undefined;
    return { text: value.text, ageSeconds, isStale: ageSeconds >= value.maxAgeSeconds };
  }

  /** Frees the memory of old values; they are not found any more, whether they are removed or not. */
  private evict(kinds: ReadonlySet<string>): void {
    let count = 0;
    for (const [digest, { kinds: of }] of this.local.entries())
      if (of.some((kind) => kinds.has(kind))) {
        this.local.delete(digest);
        count += 1;
      }
    if (count > 0) this.metrics.evictions.inc({ layer: 'local', reason: 'changed' }, count);
  }
}

interface UseKey {
  readonly scope: string;
  readonly version: string;
  readonly userId: string | undefined;
}

/** The use of the cache for one request: for one viewer, with the version of the data at its begin. */
export class CacheUse {
  private readonly cache: SharedCache;
  private readonly policy: SharedPolicy;
  private readonly key: UseKey;

  constructor(cache: SharedCache, policy: SharedPolicy, key: UseKey) {
    this.cache = cache;
    this.policy = policy;
    this.key = key;
  }

  /** The state of the data at the begin of this use. */
  get version(): string {
    return this.key.version;
  }

  /** @param parts what decides the value, besides the viewer and the version of the data */
  digestOf(...parts: readonly string[]): string {
    const { scope, version } = this.key;
    return createHash('sha256')
      .update(JSON.stringify([scope, version, ...parts]))
      .digest('base64url');
  }

  find(name: CacheName, digests: readonly string[]): Promise<(FoundValue | undefined)[]> {
    return this.cache.find(name, this.policy, digests);
  }

  /** Stores a value that was read after the begin of this use, unless the data has changed meanwhile. */
  store(digest: string, text: string): void {
    const { version, userId } = this.key;
    if (this.cache.isPresent(this.policy, version, userId)) this.cache.store(digest, text, this.policy);
  }
}

/**
 * The callers who share a value; undefined if it may not be cached. A public field may still differ by role and gym: an admin
 * sees more, a gym may have switched a module off. A private value is cached for a user only: what a service or machine client
 * sees belongs to many users, so its version would depend on the changes of all of them.
 */
function scopeOf({ isPrivate }: SharedPolicy, viewer: Viewer): string | undefined {
  if (isPrivate) return viewer.kind === 'user' ? viewerScope(viewer) : undefined;
  return viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId}` : viewerScope(viewer);
}
