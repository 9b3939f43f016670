import { Gauge, type Metrics } from '#server/observability/metrics.ts';
import { countedSeldom } from '#server/observability/counted-seldom.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Adds the metrics of the deliveries that wait for an attempt; all replicas report the same. */
export function measureWaiting({
  unitOf,
  metrics: { registry },
  log,
}: {
  unitOf(): UnitOfWork;
  metrics: Metrics;
  log: Logger;
}): void {
  const count = countedSeldom(
    log,
    async () => {
      const [row] = await unitOf().read<{ pending: number; oldest: number }>(
        `select count(*)::int as pending,
         coalesce(greatest(0, extract(epoch from now() - min(next_attempt_at)
           filter (where not held_back and (active or test_event is not null)))), 0)::double precision as oldest
       from webhook_delivery join webhook on webhook.id = webhook_id where status = 'PENDING'`,
        [],
      );
      return row ?? NONE;
    },
    NONE,
  );
  const pending: Gauge = new Gauge({
    name: 'webhook_deliveries_pending',
    help: 'Deliveries of webhooks that wait for an attempt, now or later: the same at all replicas.',
    registers: [registry],
    collect: async () => pending.set((await count()).pending),
  });
  const oldest: Gauge = new Gauge({
    name: 'webhook_oldest_due_seconds',
    help: 'Time since the delivery that has waited the longest for its attempt was due: the same at all replicas. Deliveries that wait for an earlier one of their subject, and those of webhooks that are switched off, are not due. 0 if none is due.',
    registers: [registry],
    collect: async () => oldest.set((await count()).oldest),
  });
}

const NONE = { pending: 0, oldest: 0 };
