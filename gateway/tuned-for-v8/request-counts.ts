import { Counter, type Metrics } from '#server/observability/metrics.ts';
import type { RequestOutcome } from '../subgraphs/subgraph-exchange.ts';

/**
 * The number of requests to each subgraph, by outcome.
 *
 * Written for speed: the numbers are copied into the metric when `/metrics` is read. Finding a metric's counter by its
 * labels for every request would cost more than any other step of handling a subgraph's answer (CPU profile of
 * `npm run bench -- "platform small"`).
 */
export class RequestCounts {
  private readonly counts = new Map<string, Map<RequestOutcome, number>>();

  constructor({ registry }: Metrics) {
    const { counts } = this;
    registry.registerMetric(
      new Counter({
        name: 'subgraph_requests_total',
        help: 'Requests to subgraphs by their outcome: answered, failed, late, retried, refused (not sent: the breaker is open, or too many wait), aborted (the client has left).',
        labelNames: ['subgraph', 'outcome'] as const,
        registers: [],
        collect() {
          this.reset();
          for (const [subgraph, outcomes] of counts)
            for (const [outcome, count] of outcomes) this.inc({ subgraph, outcome }, count);
        },
      }),
    );
  }

  /** Returns a function that counts one request to the subgraph. */
  of(subgraph: string): (outcome: RequestOutcome) => void {
    const outcomes = this.counts.get(subgraph) ?? new Map<RequestOutcome, number>();
    this.counts.set(subgraph, outcomes);
    return (outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}
