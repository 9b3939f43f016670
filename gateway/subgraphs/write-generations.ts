import { LRUCache } from 'lru-cache';
import { callerKey } from '#server/auth/viewer.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import type { Write } from '../writes/writes.ts';

/** A caller's generation is forgotten after this time: all requests from before their mutation have ended by then. */
const KEPT_MILLIS = MAX_SUBGRAPH_TIMEOUT_MILLIS + 30_000; // 30 s for the rest of the request
const MAX_CALLERS = 10_000;

/**
 * Decides which equal queries of a caller may share an answer: those without a mutation of the caller between them. Each
 * mutation begins a new generation of its caller. While a mutation is pending, the caller's queries are not shared,
 * because this replica of the gateway may be notified of the mutation's end later than the caller.
 */
export class WriteGenerations {
  private latest = 0;
  /** The generation of all callers without a recent mutation. */
  private ofOthers = 0;
  /** The generations of the callers with a recent mutation. */
  private readonly recent = new LRUCache<string, number>({
    max: MAX_CALLERS,
    ttl: KEPT_MILLIS,
    dispose: (_generation, _caller, reason) => {
      // A dropped caller must not return to a generation from before the mutation.
      if (reason === 'evict') this.ofOthers = this.latest += 1;
    },
  });

  private readonly pending = new PendingWrites(({ caller }) => caller);

  /** Undefined if the caller's queries may not be shared now. */
  of(context: Partial<GatewayContext>): number | undefined {
    if (this.recent.size === 0) return this.ofOthers;
    const caller = callerOf(context);
    return this.pending.has(caller) ? undefined : (this.recent.get(caller) ?? this.ofOthers);
  }

  onWrite(write: Write): void {
    this.pending.onWrite(write);
    this.recent.set(write.caller, (this.latest += 1));
  }
}

/** The identity by which writes and reads belong together, over all sessions and tokens of a caller. */
export function callerOf({ viewer, authorization, address }: Partial<GatewayContext>): string {
  if (viewer && viewer.kind !== 'anonymous') return callerKey(viewer);
  return authorization === undefined ? `anonymous ${address}` : `token ${authorization}`;
}
