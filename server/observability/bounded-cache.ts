import { LRUCache } from 'lru-cache';
import { Gauge, processRegistry } from './metrics.ts';

export interface BoundedCacheOptions<Key extends string, Value extends object | string | true> {
  /** What it is called in `cache_entries` and `cache_bytes`; caches of one name count together. */
  name: string;
  maxEntries: number;
  /** An entry that is larger than a sixteenth of it is not kept, so that no single one puts out all the others. */
  maxBytes: number;
  /** About how many bytes an entry keeps alive, its key included. Default: those of the key. */
  bytesOf?(value: Value, key: Key): number;
  /** Entries end after so long. Default: never. */
  ttlMillis?: number;
}

const LARGEST_SHARE = 16;

/** All caches of the process by name; weakly, so that those of a stopped server or a replaced supergraph go with it. */
const open = new Map<string, Set<WeakRef<{ readonly size: number; readonly calculatedSize: number }>>>();

/**
 * A cache that is bounded by entries and by bytes, with figures of both in every server's metrics. The least recently
 * used entries go first.
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

/** In memory a character takes one byte, or two if any of the text is beyond Latin-1; counted as two. */
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
  'Bytes that the caches of this process keep alive, as estimated, by cache.',
  ({ calculatedSize }) => calculatedSize,
);
