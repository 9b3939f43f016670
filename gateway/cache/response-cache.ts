import type { Viewer } from '#server/auth/viewer.ts';
import { viewerScope } from '../subscriptions/sharing-scope.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import type { PendingWrites } from '../writes/pending-writes.ts';
import type { Write } from '../writes/writes.ts';

interface CachedResponse {
  readonly json: string;
  readonly storedAt: number;
  /** The services whose data it contains: a mutation of one of them invalidates it. */
  readonly services: readonly string[];
}

/**
 * A bounded cache in this process, of the responses to operations that have only public fields (`@cacheControl`). While a
 * mutation of a service is pending, responses with its data are neither used nor stored: the caller of the mutation may have its
 * answer already, before this replica of the gateway is notified that the mutation has ended.
 */
export class ResponseCache {
  private readonly pendingWrites: PendingWrites;
  private readonly cached = boundedCache<string, CachedResponse>({
    name: 'responses',
    maxEntries: 10_000,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: ({ json }, key) => bytesOfText(json) + bytesOfText(key),
  });

  /**
   * The number of invalidations so far. The calling code compares the numbers before and after an execution. If they differ, it
   * does not store the response, because the response may be outdated.
   */
  invalidations = 0;

  /** @param pendingWrites by service; it outlives this cache, because a mutation may run while the supergraph is replaced */
  constructor(pendingWrites: PendingWrites) {
    this.pendingWrites = pendingWrites;
  }

  /** A public field may still differ by role and gym: an admin sees more, a gym may have switched a module off. */
  keyOf(operation: string, variables: unknown, viewer: Viewer): string {
    const scope = viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId}` : viewerScope(viewer);
    return `${scope}\n${JSON.stringify(variables)}\n${operation}`;
  }

  get(key: string): { json: string; ageSeconds: number } | undefined {
    const found = this.cached.get(key);
    return found && !this.hasPendingWrite(found.services)
      ? { json: found.json, ageSeconds: Math.floor((Date.now() - found.storedAt) / 1000) }
      : undefined;
  }

  set(key: string, json: string, services: readonly string[], maxAgeSeconds: number): void {
    if (this.hasPendingWrite(services)) return;
    this.cached.set(key, { json, storedAt: Date.now(), services }, { ttl: maxAgeSeconds * 1000 });
  }

  onWrite({ service, phase }: Write): void {
    if (phase === 'ended') this.invalidate([service]);
  }

  /** To be called after a mutation, so that its caller never reads an older value. */
  invalidate(services: readonly string[]): void {
    this.invalidations += 1;
    for (const [key, { services: used }] of this.cached.entries())
      if (used.some((service) => services.includes(service))) this.cached.delete(key);
  }

  private hasPendingWrite(services: readonly string[]): boolean {
    return services.some((service) => this.pendingWrites.has(service));
  }
}
