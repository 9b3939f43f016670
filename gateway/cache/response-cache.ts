import type { Viewer } from '#server/auth/viewer.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';

interface CachedResponse {
  readonly json: string;
  readonly storedAt: number;
  /** The services whose data is in it: a mutation of one of them makes it old. */
  readonly services: readonly string[];
}

/** Whole answers of operations whose every field is public by `@cacheControl`; in this process, bounded. */
export class ResponseCache {
  private readonly cached = boundedCache<string, CachedResponse>({
    name: 'responses',
    maxEntries: 10_000,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: ({ json }, key) => bytesOfText(json) + bytesOfText(key),
  });

  /** How many have been told of so far. */
  mutations = 0;

  /** What is public may still differ by gym and role: an admin sees more, a gym may have switched a module off. */
  keyOf(operation: string, variables: unknown, viewer: Viewer): string {
    const audience = viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId}` : viewer.kind;
    return `${audience}\n${JSON.stringify(variables)}\n${operation}`;
  }

  /** With its age in whole seconds. */
  get(key: string): { json: string; ageSeconds: number } | undefined {
    const found = this.cached.get(key);
    return found && { json: found.json, ageSeconds: Math.floor((Date.now() - found.storedAt) / 1000) };
  }

  set(key: string, json: string, services: readonly string[], maxAgeSeconds: number): void {
    this.cached.set(key, { json, storedAt: Date.now(), services }, { ttl: maxAgeSeconds * 1000 });
  }

  /** After a mutation: nobody is shown what she has just changed. */
  forget(services: readonly string[]): void {
    this.mutations += 1;
    for (const [key, { services: used }] of this.cached.entries())
      if (used.some((service) => services.includes(service))) this.cached.delete(key);
  }
}
