import { countedSeldom } from '../observability/counted-seldom.ts';
import type { Logger } from '../observability/logger.ts';
import { Counter, Gauge, Histogram, type Metrics } from '../observability/metrics.ts';
import type { Saga } from './saga.ts';
import type { SagaStore } from './saga-store.ts';

/** The metrics of sagas. */
export interface SagaMetrics {
  /** Counts a saga that this process has finished, or whose undoing it has given up. */
  ended(saga: Pick<Saga, 'kind' | 'status' | 'startedAt'>): void;
  /** Makes the next `GET /metrics` count the unfinished sagas again; otherwise they are counted at most every 10 s. */
  invalidate(): void;
}

export function sagaMetrics({
  registry,
  store,
  kinds,
  log,
}: {
  registry: Metrics['registry'];
  store: SagaStore;
  kinds: readonly string[];
  log: Logger;
}): SagaMetrics {
  const failed = new Counter({
    name: 'sagas_undo_failed_total',
    help: 'Sagas that could not be fully undone, counted by the process that gave up.',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  const count = countedSeldom<Counts>(log, () => store.countUnfinished(kinds), new Map());
  const waiting: Gauge<'kind'> = new Gauge({
    name: 'sagas_waiting_for_decision',
    help: 'Sagas that could not be fully undone and wait for a decision (RETRY or ACCEPT).',
    labelNames: ['kind'] as const,
    registers: [registry],
    async collect() {
      const counts = await count();
      for (const kind of kinds) waiting.set({ kind }, counts.get(kind)?.waiting ?? 0);
    },
  });
  const running: Gauge<'kind'> = new Gauge({
    name: 'sagas_running',
    help: 'Sagas that are being carried out or undone, or wait for their next attempt: the same at all replicas.',
    labelNames: ['kind'] as const,
    registers: [registry],
    async collect() {
      const counts = await count();
      for (const kind of kinds) running.set({ kind }, counts.get(kind)?.running ?? 0);
    },
  });
  const durations = new Histogram({
    name: 'saga_duration_seconds',
    help: 'Time from the start of a saga to its end, by the process that ended it; outcome is done, undone or undo_failed.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400],
    registers: [registry],
  });
  for (const kind of kinds) failed.inc({ kind }, 0);
  return {
    ended({ kind, status, startedAt }) {
      const seconds = Math.max(0, Date.now() - startedAt.getTime()) / 1_000;
      durations.observe({ kind, outcome: status.toLowerCase() }, seconds);
      if (status === 'UNDO_FAILED') failed.inc({ kind });
      count.invalidate();
    },
    invalidate: count.invalidate,
  };
}

type Counts = Awaited<ReturnType<SagaStore['countUnfinished']>>;
