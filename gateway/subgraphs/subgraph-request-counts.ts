import type { Registry } from 'prom-client';
import { FastHistogram } from '#server/observability/fast-histogram.ts';
import { Counter, Gauge } from '#server/observability/metrics.ts';
import type { RequestClass, RequestOutcome } from './subgraph-exchange.ts';

/**
 * Counts requests to subgraphs by their outcome, for the metrics. The counter is filled when it is read: `Counter.inc`
 * checks and joins the labels at each call, which took 1 % of the CPU time of a small query.
 */
export class SubgraphRequestCounts {
  private readonly bySubgraph = new Map<string, Map<RequestOutcome, number>>();
  private readonly urls = new Map<string, string>();
  private readonly durations: FastHistogram<'subgraph' | 'class'>;
  private readonly breakers: Gauge<'subgraph'>;

  constructor(registry: Registry) {
    const { bySubgraph } = this;
    registry.registerMetric(
      new Counter({
        name: 'subgraph_requests_total',
        help: 'Requests to subgraphs by their outcome: answered, failed, late, retried, refused (not sent: the breaker is open, or too many wait), aborted (the client has left).',
        labelNames: ['subgraph', 'outcome'] as const,
        registers: [],
        collect() {
          this.reset();
          for (const [subgraph, counts] of bySubgraph)
            for (const [outcome, count] of counts) this.inc({ subgraph, outcome }, count);
        },
      }),
    );
    this.durations = new FastHistogram({
      name: 'subgraph_request_duration_seconds',
      help: 'Time from a request to a subgraph to the last byte of its answer; answered requests by class: query, mutation, upload.',
      labelNames: ['subgraph', 'class'] as const,
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
    this.breakers = new Gauge({
      name: 'subgraph_breaker_open',
      help: 'Whether the breaker of a subgraph is open (1), so that it gets no requests, or closed (0).',
      labelNames: ['subgraph'] as const,
      registers: [registry],
    });
  }

  /**
   * The function that counts one request to the subgraph. The counts continue if the supergraph is loaded again, and so does
   * the state of the breaker if the URL is the same.
   */
  of(subgraph: string, url: string): (outcome: RequestOutcome, kind: RequestClass, millis: number) => void {
    const counts = this.bySubgraph.get(subgraph) ?? new Map<RequestOutcome, number>();
    this.bySubgraph.set(subgraph, counts);
    // With the same URL the connection is kept, and its breaker may be open.
    if (this.urls.get(subgraph) !== url) this.setBreaker(subgraph, false);
    this.urls.set(subgraph, url);
    const durations = {
      query: this.durations.of(subgraph, 'query'),
      mutation: this.durations.of(subgraph, 'mutation'),
      upload: this.durations.of(subgraph, 'upload'),
    };
    return (outcome, kind, millis) => {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome === 'answered') durations[kind].observe(millis / 1_000);
    };
  }

  setBreaker(subgraph: string, isOpen: boolean): void {
    this.breakers.set({ subgraph }, isOpen ? 1 : 0);
  }
}
