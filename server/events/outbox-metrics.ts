import type { MikroORM } from '@mikro-orm/postgresql';
import { read } from '../database/read.ts';
import { countedSeldom } from '../observability/counted-seldom.ts';
import type { Logger } from '../observability/logger.ts';
import { Gauge, type Metrics } from '../observability/metrics.ts';

interface Unpublished {
  readonly events: number;
  readonly oldestSeconds: number;
}

/** Adds the metrics of events that wait for their publication; all replicas report the same. */
export function measureOutbox({
  orm,
  metrics: { registry },
  log,
}: {
  orm: MikroORM;
  metrics: Metrics;
  log: Logger;
}): void {
  const count = countedSeldom<Unpublished>(
    log,
    async () => {
      const [row] = await read<Unpublished>(
        orm.em,
        `select count(*)::int as events,
           coalesce(greatest(0, extract(epoch from now() - min(occurred_at))), 0)::double precision as "oldestSeconds"
         from event_outbox`,
      );
      return row ?? NONE;
    },
    NONE,
  );
  const events: Gauge = new Gauge({
    name: 'events_unpublished',
    help: 'Events that are stored and wait for their publication in the feed: the same at all replicas.',
    registers: [registry],
    collect: async () => events.set((await count()).events),
  });
  const oldest: Gauge = new Gauge({
    name: 'events_oldest_unpublished_seconds',
    help: 'The age of the oldest event that waits for its publication: the same at all replicas. 0 if none waits.',
    registers: [registry],
    collect: async () => oldest.set((await count()).oldestSeconds),
  });
}

const NONE: Unpublished = { events: 0, oldestSeconds: 0 };
