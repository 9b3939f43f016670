import { Counter, Gauge, type Metrics } from '#server/observability/metrics.ts';

/** What is cached: whole responses, or the answers of services to single fetches. */
export type CacheName = 'responses' | 'fetches';

/** Metrics of the shared cache; without one they stay empty. */
export class CacheMetrics {
  readonly hits: Counter<'cache' | 'layer'>;
  readonly misses: Counter<'cache'>;
  readonly bypasses: Counter<'reason'>;
  readonly evictions: Counter<'layer' | 'reason'>;

  /** The bytes in Redis; undefined if Redis does not say. */
  bytesInRedis: () => Promise<number | undefined> = async () => undefined;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.hits = new Counter({
      name: 'shared_cache_hits_total',
      help: 'Values that the shared cache had: whole responses or answers to fetches, in this process (local) or in Redis.',
      labelNames: ['cache', 'layer'] as const,
      registers,
    });
    this.misses = new Counter({
      name: 'shared_cache_misses_total',
      help: 'Values that the shared cache did not have, so that services were asked.',
      labelNames: ['cache'] as const,
      registers,
    });
    this.bypasses = new Counter({
      name: 'shared_cache_bypasses_total',
      help: 'Lookups that were left out: this gateway was not notified of changes (without notices), or the caller had just written (own write).',
      labelNames: ['reason'] as const,
      registers,
    });
    this.evictions = new Counter({
      name: 'shared_cache_evictions_total',
      help: 'Values that the local layer dropped after a change of their kind (changed), at the end of their time (expired) or for others (full).',
      labelNames: ['layer', 'reason'] as const,
      registers,
    });
    const bytes = new Gauge({
      name: 'shared_cache_redis_bytes',
      help: 'Bytes of the shared cache in Redis; unchanged while Redis does not answer.',
      registers,
      collect: async () => {
        const known = await this.bytesInRedis();
        if (known !== undefined) bytes.set(known);
      },
    });
  }
}
