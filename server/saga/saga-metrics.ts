import type { Logger } from '../observability/logger.ts';
import { Counter, Gauge, type Metrics } from '../observability/metrics.ts';
import type { SagaStore } from './saga-store.ts';

const COUNT_EVERY_MILLIS = 10_000; // 10 s

/** The metrics of sagas that could not be undone. */
export interface SagaMetrics {
  /** Counts a saga whose undoing was given up in this process. */
  undoFailed(kind: string): void;
  /** Counts the sagas that wait for a decision, at most every 10 s, so that `GET /metrics` does not wait for a database. */
  count(): Promise<void>;
  /** Makes the next `count` read the database even if the last one was less than 10 s ago. */
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
  const waiting = new Gauge({
    name: 'sagas_waiting_for_decision',
    help: 'Sagas that could not be fully undone and wait for a decision (RETRY or ACCEPT).',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  for (const kind of kinds) {
    failed.inc({ kind }, 0);
    waiting.set({ kind }, 0);
  }
  let countedAt = -Infinity;
  return {
    undoFailed(kind) {
      failed.inc({ kind });
      countedAt = -Infinity;
    },
    invalidate() {
      countedAt = -Infinity;
    },
    async count() {
      if (kinds.length === 0 || performance.now() - countedAt < COUNT_EVERY_MILLIS) return;
      countedAt = performance.now();
      try {
        const counts = await store.countWaiting(kinds);
        for (const kind of kinds) waiting.set({ kind }, counts.get(kind) ?? 0);
      } catch (error) {
        log.debug({ err: error }, 'sagas that wait for a decision could not be counted');
      }
    },
  };
}
