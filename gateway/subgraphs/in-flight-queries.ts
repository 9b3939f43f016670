import type { GatewayContext } from '../context/gateway-context.ts';
import type { SubgraphExchange } from './subgraph-exchange.ts';
import type { WriteGenerations } from './write-generations.ts';

/**
 * Written for speed: the exchange is set to undefined when it ends, because V8 may keep a Map's previous tables for a
 * while, and they would keep the answers in memory (`tuned-for-v8/time-limit.ts` has the figures).
 */
interface PendingQuery {
  exchange: SubgraphExchange | undefined;
}

/**
 * Sends equal concurrent queries of one caller once. The key contains everything that is forwarded and may change the
 * answer: the caller, their address and user agent, and the number of mutations before; not the ids for tracing.
 */
export class InFlightQueries {
  private readonly pending = new Map<string, PendingQuery>();
  private readonly generations: WriteGenerations;

  constructor(generations: WriteGenerations) {
    this.generations = generations;
  }

  /** The pending exchange of an equal query, or the one that `begin` returns. */
  share(body: string, context: Partial<GatewayContext>, begin: () => SubgraphExchange): SubgraphExchange {
    const generation = this.generations.of(context);
    if (generation === undefined) return begin();
    const key = `${generation}\n${context.authorization}\n${context.address}\n${context.userAgent}\n${body}`;
    const known = this.pending.get(key)?.exchange;
    if (known && !known.isOver) return known;
    const exchange = begin();
    if (exchange.isOver) return exchange; // refused
    const query: PendingQuery = { exchange };
    this.pending.set(key, query);
    exchange.onOver = () => {
      query.exchange = undefined;
      if (this.pending.get(key) === query) this.pending.delete(key);
    };
    return exchange;
  }
}
