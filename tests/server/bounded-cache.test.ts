import { describe, expect, it } from '@jest/globals';
import { boundedCache } from '#server/observability/bounded-cache.ts';
import { createMetrics } from '#server/observability/metrics.ts';

const figureOf = async (name: string, cache: string): Promise<number> => {
  const { body } = await createMetrics('test').text();
  const line = body.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(`cache="${cache}"`));
  return Number(line?.split(' ').at(-1));
};

describe('a bounded cache', () => {
  it('never exceeds its limits of entries and bytes', () => {
    const byEntries = boundedCache<string, object>({ name: 'test_entries', maxEntries: 10, maxBytes: 1e9 });
    for (let i = 0; i < 100; i += 1) byEntries.set(`key ${i}`, {});
    expect(byEntries.size).toBe(10);
    const byBytes = boundedCache<string, object>({
      name: 'test_bytes',
      maxEntries: 1_000,
      maxBytes: 16_000,
      bytesOf: () => 1_000,
    });
    for (let i = 0; i < 100; i += 1) byBytes.set(`key ${i}`, {});
    expect(byBytes.size).toBe(16);
    expect([...byBytes.keys()]).toContain('key 99');
  });

  it('does not store an entry that is larger than a sixteenth of its bytes', () => {
    const cache = boundedCache<string, { bytes: number }>({
      name: 'test_large',
      maxEntries: 100,
      maxBytes: 16_000,
      bytesOf: ({ bytes }) => bytes,
    });
    cache.set('small', { bytes: 10 });
    cache.set('large', { bytes: 1_001 });
    expect(cache.has('large')).toBe(false);
    expect(cache.has('small')).toBe(true);
  });

  it('reports its entries and bytes in the metrics, summed with other caches of its name', async () => {
    const options = { name: 'test_figures', maxEntries: 10, maxBytes: 1_000_000, bytesOf: () => 100 };
    const [one, other] = [boundedCache<string, object>(options), boundedCache<string, object>(options)];
    one.set('a', {});
    other.set('a', {});
    other.set('b', {});
    expect(await figureOf('cache_entries', 'test_figures')).toBe(3);
    expect(await figureOf('cache_bytes', 'test_figures')).toBe(300);
    other.clear();
    expect(await figureOf('cache_entries', 'test_figures')).toBe(1);
  });
});
