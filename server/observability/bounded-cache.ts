import { LRUCache } from 'lru-cache';
import { Gauge, processRegistry } from './metrics.ts';

interface BoundedCacheOptions<Key extends string, Value extends object | string | true> {
  /** The label in `cache_entries` and `cache_bytes`; caches of one name are summed. */
  name: string;
  maxEntries: number;
  /** An entry that is larger than a sixteenth of it is not stored, so that no single entry evicts all others. */
  maxBytes: number;
  /** About how many bytes an entry keeps in memory, its key included. Default: the bytes of the key. */
  bytesOf?(value: Value, key: Key): number;
  /** The lifetime of entries. Default: unlimited. */
  ttlMillis?: number;
}

const LARGEST_SHARE = 16;

/** All caches of the process by name, as weak references, so that the caches of a stopped server or a replaced supergraph are collected. */
const open = new Map<string, Set<WeakRef<{ readonly size: number; readonly calculatedSize: number }>>>();

/**
 * A cache with a limit for its entries and for its bytes; every server's metrics have gauges of both. The least recently
 * used entries are evicted first.
 */
export function boundedCache<Key extends string, Value extends object | string | true>({
  name,
  maxEntries,
  maxBytes,
  bytesOf = (_value, key) => bytesOfText(key),
  ttlMillis,
}: BoundedCacheOptions<Key, Value>): LRUCache<Key, Value> {
  const cache = new LRUCache<Key, Value>({
    max: maxEntries,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / LARGEST_SHARE),
    sizeCalculation: (value, key) => Math.max(1, Math.ceil(bytesOf(value, key))),
    ...(ttlMillis !== undefined && { ttl: ttlMillis }),
  });
  const named = open.get(name) ?? new Set();
  open.set(name, named);
  named.add(new WeakRef(cache));
  return cache;
}

/** A character takes one byte in memory, or two if the text contains any beyond Latin-1. This counts two. */
export const bytesOfText = (text: string): number => 2 * text.length;

function figure(
  name: string,
  help: string,
  of: (cache: { size: number; calculatedSize: number }) => number,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['cache'] as const,
    registers: [],
    collect() {
      for (const [cache, refs] of open) {
        let total = 0;
        for (const ref of refs) {
          const known = ref.deref();
          if (known) total += of(known);
          else refs.delete(ref);
        }
        this.set({ cache }, total);
      }
    },
  });
  processRegistry.registerMetric(gauge);
}

figure('cache_entries', 'Entries of the caches of this process, by cache.', ({ size }) => size);
figure(
  'cache_bytes',
  'Estimated bytes of the caches of this process, by cache.',
  ({ calculatedSize }) => calculatedSize,
);
