import type { Viewer } from '#server/auth/viewer.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';

interface CachedResponse {
  readonly json: string;
  readonly storedAt: number;
  /** The services whose data it contains: a mutation of one of them invalidates it. */
  readonly services: readonly string[];
}

/** Responses of operations whose fields are all public by `@cacheControl`. Each replica has its own bounded cache. */
export class ResponseCache {
  private readonly cached = boundedCache<string, CachedResponse>({
    name: 'responses',
    maxEntries: 10_000,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: ({ json }, key) => bytesOfText(json) + bytesOfText(key),
  });

  /** The number of invalidations so far. */
  invalidations = 0;

  /** A public field may still differ by role and gym: an admin sees more, a gym may have switched a module off. */
  keyOf(operation: string, variables: unknown, viewer: Viewer): string {
    const scope = viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId}` : viewer.kind;
    return `${scope}\n${JSON.stringify(variables)}\n${operation}`;
  }

  get(key: string): { json: string; ageSeconds: number } | undefined {
    const found = this.cached.get(key);
    return found && { json: found.json, ageSeconds: Math.floor((Date.now() - found.storedAt) / 1000) };
  }

  set(key: string, json: string, services: readonly string[], maxAgeSeconds: number): void {
    this.cached.set(key, { json, storedAt: Date.now(), services }, { ttl: maxAgeSeconds * 1000 });
  }

  /** To be called after a mutation, so that its caller never reads an older value. */
  invalidate(services: readonly string[]): void {
    this.invalidations += 1;
    for (const [key, { services: used }] of this.cached.entries())
      if (used.some((service) => services.includes(service))) this.cached.delete(key);
  }
}
