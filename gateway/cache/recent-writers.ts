import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../context/gateway-context.ts';
import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import { callerOf } from '../subgraphs/write-generations.ts';
import type { Write } from '../writes/writes.ts';

/** This long after a write, this gateway has been notified of the changes, or does not use the cache. */
const NOTIFIED_WITHIN_MILLIS = 1_000; // 1 s
const MAX_WRITERS = 10_000;

/**
 * The callers who have written a moment ago, and the services to which they wrote. Their queries to these services bypass the
 * cache, because they may get the answer to their write before this gateway is notified of the change. Until then, all
 * other callers may read the old value.
 */
export class RecentWriters {
  private readonly writers = new LRUCache<string, true>({
    max: MAX_WRITERS,
    ttl: NOTIFIED_WITHIN_MILLIS,
  });

  /** A mutation at any replica of the gateway. */
  onWrite({ caller, service, phase }: Write): void {
    this.writers.set(
      `${caller} ${service}`,
      true,
      phase === 'begun' ? { ttl: MAX_SUBGRAPH_TIMEOUT_MILLIS } : {},
    );
  }

  /** A REST request that this gateway forwards. */
  onForwarded(authorization: string | undefined, service: string, phase: Write['phase']): void {
    if (authorization !== undefined) this.onWrite({ id: '', caller: tokenOf(authorization), service, phase });
  }

  has(context: GatewayContext, services: readonly string[]): boolean {
    if (this.writers.size === 0) return false;
    const caller = callerOf(context);
    const { authorization } = context;
    return services.some(
      (service) =>
        this.writers.has(`${caller} ${service}`) ||
        (authorization !== undefined && this.writers.has(`${tokenOf(authorization)} ${service}`)),
    );
  }
}

/** As `callerOf` names callers whose identity is not known. */
const tokenOf = (authorization: string): string => `token ${authorization}`;
