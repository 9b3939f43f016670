import type { GatewayContext } from '../context/gateway-context.ts';
import type { SubgraphExchange } from './subgraph-exchange.ts';
import type { WriteGenerations } from './write-generations.ts';

interface UnderWay {
  /** Undefined as soon as it has ended: V8 may keep a map's earlier tables for a while, and they then hold no answers. */
  exchange: SubgraphExchange | undefined;
}

/**
 * Equal queries of one caller that are under way at the same time are sent once. The key holds everything that is
 * passed on and may change the answer: who asks, from where, with which program, and how many mutations came before;
 * not the ids by which requests are traced.
 */
export class InFlightQueries {
  private readonly underWay = new Map<string, UnderWay>();
  private readonly generations: WriteGenerations;

  constructor(generations: WriteGenerations) {
    this.generations = generations;
  }

  /** The exchange that is under way already, or the one that `begin` gives. */
  share(body: string, context: Partial<GatewayContext>, begin: () => SubgraphExchange): SubgraphExchange {
    const generation = this.generations.of(context);
    if (generation === undefined) return begin();
    const key = `${generation}\n${context.authorization}\n${context.address}\n${context.userAgent}\n${body}`;
    const known = this.underWay.get(key)?.exchange;
    if (known && !known.isOver) return known;
    const exchange = begin();
    if (exchange.isOver) return exchange; // refused
    const one: UnderWay = { exchange };
    this.underWay.set(key, one);
    exchange.onOver = () => {
      one.exchange = undefined;
      if (this.underWay.get(key) === one) this.underWay.delete(key);
    };
    return exchange;
  }
}
