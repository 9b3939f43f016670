import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { Write } from '../writes/writes.ts';

/** Longer than any request to a subgraph takes: what began before a write that is older has ended. */
const KEPT_MILLIS = 130_000;
const MAX_CALLERS = 10_000;

interface Recent {
  readonly generation: number;
  /** Mutations of the caller that have begun and not ended. */
  readonly open: number;
}

/**
 * Which answers of a caller's queries may be shared: after a mutation none that was asked for before it. Each mutation
 * begins a new generation of its caller; while one is under way nothing of the caller is shared, because a replica of
 * the gateway may learn of its end later than the caller does.
 */
export class WriteGenerations {
  private latest = 0;
  /** Of callers that are not remembered. */
  private ofOthers = 0;
  private readonly recent = new LRUCache<string, Recent>({
    max: MAX_CALLERS,
    ttl: KEPT_MILLIS,
    dispose: (_value, _caller, reason) => {
      // A forgotten caller must not fall back into a generation from before the mutation.
      if (reason === 'evict') this.ofOthers = this.latest += 1;
    },
  });

  /** Undefined if nothing of the caller may be shared now. */
  of(context: Partial<GatewayContext>): number | undefined {
    if (this.recent.size === 0) return this.ofOthers;
    const recent = this.recent.get(callerOf(context));
    if (!recent) return this.ofOthers;
    return recent.open > 0 ? undefined : recent.generation;
  }

  hear({ caller, phase }: Write): void {
    const open = this.recent.get(caller)?.open ?? 0;
    this.recent.set(caller, {
      generation: (this.latest += 1),
      open: phase === 'begun' ? open + 1 : Math.max(0, open - 1),
    });
  }
}

/** Whose writes and reads belong together: one person's over all sessions and tokens. */
export function callerOf({ viewer, authorization, address }: Partial<GatewayContext>): string {
  if (viewer?.kind === 'user') return `user ${viewer.userId}`;
  if (viewer?.kind === 'service') return `service ${viewer.service}`;
  return authorization === undefined ? `anonymous ${address}` : `token ${authorization}`;
}
