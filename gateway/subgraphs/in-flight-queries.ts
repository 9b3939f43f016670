import type { GatewayContext } from '../context/gateway-context.ts';
import type { Droppable } from '../tuned-for-v8/droppable.ts';
import type { SubgraphExchange } from './subgraph-exchange.ts';
import type { SubgraphRequest } from './subgraph.ts';
import type { WriteGenerations } from './write-generations.ts';

interface SharedRequest extends Pick<SubgraphRequest, 'body' | 'dataState'> {
  readonly context: Partial<GatewayContext>;
}

/**
 * Sends equal concurrent queries of one caller once. The key contains everything that is forwarded and may change the
 * answer: the caller, their address, user agent and forwarded headers, and the number of mutations before; not the ids for
 * tracing. If the answer will be cached, it also contains the state of the data (`SubgraphRequest.dataState`).
 */
export class InFlightQueries {
  private readonly pending = new Map<string, Droppable<SubgraphExchange>>();
  private readonly generations: WriteGenerations;

  constructor(generations: WriteGenerations) {
    this.generations = generations;
  }

  /** The pending exchange of an equal query, or the one that `begin` returns. */
  share({ body, context, dataState = '' }: SharedRequest, begin: () => SubgraphExchange): SubgraphExchange {
    const generation = this.generations.of(context);
    if (generation === undefined) return begin();
    const { forwarded } = context;
    const chosen = forwarded ? JSON.stringify([...forwarded]) : '';
    const key = `${generation}\n${context.authorization}\n${context.address}\n${context.userAgent}\n${chosen}\n${dataState}\n${body}`;
    const known = this.pending.get(key)?.target;
    if (known) return known;
    const exchange = begin();
    if (exchange.isOver) return exchange; // refused
    const { reference } = exchange;
    this.pending.set(key, reference);
    exchange.onOver = () => {
      if (this.pending.get(key) === reference) this.pending.delete(key);
    };
    return exchange;
  }
}
