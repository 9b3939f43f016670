import { LRUCache } from 'lru-cache';
import { callerKey } from '#server/auth/viewer.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import type { Write } from '../writes/writes.ts';

/** A write is forgotten after this time; the requests to subgraphs that began before it have ended by then. */
const KEPT_MILLIS = MAX_SUBGRAPH_TIMEOUT_MILLIS + 30_000; // 30 s for the rest of the request
const MAX_CALLERS = 10_000;

interface RecentWriter {
  readonly generation: number;
  /** Mutations of the caller that have begun and not ended. */
  readonly open: number;
}

/**
 * Decides which equal queries of a caller may share an answer: those without a mutation of the caller between them. Each
 * mutation begins a new generation of its caller. While a mutation is pending, the caller's queries are not shared,
 * because this replica of the gateway may be notified of the mutation's end later than the caller.
 */
export class WriteGenerations {
  private latest = 0;
  /** The generation of all callers without a recent mutation. */
  private ofOthers = 0;
  private readonly recent = new LRUCache<string, RecentWriter>({
    max: MAX_CALLERS,
    ttl: KEPT_MILLIS,
    dispose: (_value, _caller, reason) => {
      // A dropped caller must not return to a generation from before the mutation.
      if (reason === 'evict') this.ofOthers = this.latest += 1;
    },
  });

  /** Undefined if the caller's queries may not be shared now. */
  of(context: Partial<GatewayContext>): number | undefined {
    if (this.recent.size === 0) return this.ofOthers;
    const recent = this.recent.get(callerOf(context));
    if (!recent) return this.ofOthers;
    return recent.open > 0 ? undefined : recent.generation;
  }

  onWrite({ caller, phase }: Write): void {
    const open = this.recent.get(caller)?.open ?? 0;
    this.recent.set(caller, {
      generation: (this.latest += 1),
      open: phase === 'begun' ? open + 1 : Math.max(0, open - 1),
    });
  }
}

/** The identity by which writes and reads belong together, over all sessions and tokens of a caller. */
export function callerOf({ viewer, authorization, address }: Partial<GatewayContext>): string {
  if (viewer && viewer.kind !== 'anonymous') return callerKey(viewer);
  return authorization === undefined ? `anonymous ${address}` : `token ${authorization}`;
}
