import type { AnySubgraph } from '../define-subgraph.ts';
import { publishEvents } from '../events/publish-events.ts';
import { startJobs, type RunningJobs } from '../jobs/start-jobs.ts';
import type { Metrics } from '../observability/metrics.ts';
import { idempotencyRetention } from '../rest/idempotency.database.ts';
import { Retention } from '../retention/retention.ts';
import type { ServiceDatabase } from './database.ts';
import type { Rules } from './rules.ts';

/** Starts the jobs that the service declares, those of its retention rules, and the publication of its events. */
export function startJobsOf(
  subgraph: AnySubgraph,
  { base, resources, events, unitOf }: Rules,
  { database, metrics }: { database: ServiceDatabase | undefined; metrics: Metrics },
): RunningJobs {
  const { settings, log } = base;
  const rules = [...(database ? [idempotencyRetention] : []), ...(subgraph.retention?.(resources) ?? [])];
  const retention = new Retention({ settings, hasDatabase: database !== undefined, metrics, log });
  return startJobs({
    jobs: [...(subgraph.jobs ?? []), retention.job(rules), ...(events ? [publishEvents(events)] : [])],
    resources,
    unitOf: () => unitOf(),
    database: database?.address,
    metrics,
    log,
  });
}
