import { LRUCache } from 'lru-cache';
import type { Viewer } from '#server/auth/viewer.ts';
import { viewerScope } from '../subscriptions/sharing-scope.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import type { Write } from '../writes/writes.ts';

interface CachedResponse {
  readonly json: string;
  readonly storedAt: number;
  /** The services whose data it contains: a mutation of one of them invalidates it. */
  readonly services: readonly string[];
}

/** A mutation counts as ended after this time, in case the message of its end was lost. */
const WRITE_MILLIS = MAX_SUBGRAPH_TIMEOUT_MILLIS + 30_000; // 30 s for the rest of the request

/**
 * Responses of operations whose every field is public by `@cacheControl`; in this process, bounded. While a mutation of a
 * service is pending, responses with its data are neither used nor stored, because this replica of the gateway may be
 * notified of the mutation's end later than its caller.
 */
export class ResponseCache {
  /** By service, the number of its pending mutations, at all replicas. */
  private readonly pendingWrites = new LRUCache<string, number>({ max: 1_000, ttl: WRITE_MILLIS });
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
    const scope = viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId}` : viewerScope(viewer);
    return `${scope}\n${JSON.stringify(variables)}\n${operation}`;
  }

  get(key: string): { json: string; ageSeconds: number } | undefined {
    const found = this.cached.get(key);
    return found && !this.isWritten(found.services)
      ? { json: found.json, ageSeconds: Math.floor((Date.now() - found.storedAt) / 1000) }
      : undefined;
  }

  set(key: string, json: string, services: readonly string[], maxAgeSeconds: number): void {
    if (this.isWritten(services)) return;
    this.cached.set(key, { json, storedAt: Date.now(), services }, { ttl: maxAgeSeconds * 1000 });
  }

  onWrite({ service, phase }: Write): void {
    const pending = this.pendingWrites.get(service) ?? 0;
    if (phase === 'begun') return void this.pendingWrites.set(service, pending + 1);
    if (pending > 1) this.pendingWrites.set(service, pending - 1);
    else this.pendingWrites.delete(service);
    this.invalidate([service]);
  }

  /** To be called after a mutation, so that its caller never reads an older value. */
  invalidate(services: readonly string[]): void {
    this.invalidations += 1;
    for (const [key, { services: used }] of this.cached.entries())
      if (used.some((service) => services.includes(service))) this.cached.delete(key);
  }

  private isWritten(services: readonly string[]): boolean {
    return this.pendingWrites.size > 0 && services.some((service) => this.pendingWrites.has(service));
  }
}
