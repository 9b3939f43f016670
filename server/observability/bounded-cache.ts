import { LRUCache } from 'lru-cache';
import { Gauge, processRegistry } from './metrics.ts';

interface BoundedCacheOptions<Key extends string, Value extends object | string | true> {
  /** The label in `cache_entries` and `cache_bytes`; the figures of caches with the same name are added. */
  name: string;
  maxEntries: number;
  /** An entry that is larger than a sixteenth of `maxBytes` is not stored, so that no single entry evicts all others. */
  maxBytes: number;
  /** An estimate of an entry's bytes in memory, its key included. Default: the bytes of the key. */
  bytesOf?(value: Value, key: Key): number;
  /** The lifetime of entries. Default: unlimited. */
  ttlMillis?: number;
  /** Called with an entry that was dropped for others, or at the end of its lifetime. */
  onDrop?(reason: 'full' | 'expired'): void;
}

/** The largest entry is this fraction (1 / n) of `maxBytes`. */
const LARGEST_ENTRY_FRACTION = 16;

/**
 * All caches of the process by name. The references are weak, so that the memory of a stopped server or a replaced
 * supergraph is freed.
 */
const open = new Map<string, Set<WeakRef<{ readonly size: number; readonly calculatedSize: number }>>>();

/**
 * A cache with a limit for the number of its entries and for their bytes; every server's metrics have gauges of both. The
 * least recently used entries are evicted first.
 */
export function boundedCache<Key extends string, Value extends object | string | true>({
  name,
  maxEntries,
  maxBytes,
  bytesOf = (_value, key) => bytesOfText(key),
  ttlMillis,
  onDrop,
}: BoundedCacheOptions<Key, Value>): LRUCache<Key, Value> {
  const cache = new LRUCache<Key, Value>({
    max: maxEntries,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / LARGEST_ENTRY_FRACTION),
    sizeCalculation: (value, key) => Math.max(1, Math.ceil(bytesOf(value, key))),
    ...(ttlMillis !== undefined && { ttl: ttlMillis }),
    ...(onDrop && {
      dispose: (_value, _key, reason) => {
        if (reason === 'evict') onDrop('full');
        else if (reason === 'expire') onDrop('expired');
      },
    }),
  });
  const named = open.get(name) ?? new Set();
  open.set(name, named);
  named.add(new WeakRef(cache));
  return cache;
}

/** V8 stores a text with one byte for each character, or two if one of them is not in Latin-1. This function counts two. */
export const bytesOfText = (text: string): number => 2 * text.length;

function addGauge(
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

addGauge('cache_entries', 'Entries of the caches of this process, by cache.', ({ size }) => size);
addGauge(
  'cache_bytes',
  'Estimated bytes of the caches of this process, by cache.',
  ({ calculatedSize }) => calculatedSize,
);
