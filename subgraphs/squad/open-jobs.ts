import type { ServiceBase } from '#server/define-subgraph.ts';
import { jobMetrics } from '#server/jobs/run-job.ts';
import { References } from '#server/references/references.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import type { Hub } from './hub.ts';
import { squadJobs } from './jobs.ts';
import { journalKinds } from './journal-kinds.ts';
import type { SquadResources } from './services.ts';
import type { SquadSettings } from './settings.ts';
import { TrainingDelivery } from './squads/training-delivery.ts';
import { FileJobs } from './storage/file-jobs.ts';
import type { JournalKind } from './storage/journal.ts';
import { FileJournals } from './storage/journal.file.ts';

/**
 * Makes what the jobs of this service need. If the journals are in files, it also makes and starts `fileJobs`, which runs the
 * jobs in place of the database's worker.
 */
export function openJobs(
  { log, metrics, unitOf }: Pick<ServiceBase<SquadSettings>, 'log' | 'metrics' | 'unitOf'>,
  hub: Hub,
  calls: CallsToServices,
): Pick<SquadResources, 'trainingDelivery' | 'fileJobs'> {
  const { journals } = hub;
  const trainingDelivery = new TrainingDelivery({
    journals,
    calls,
    references: new References(calls),
    log,
  });
  if (!(journals instanceof FileJournals)) return { trainingDelivery };
  const fileJobs = new FileJobs({
    jobs: squadJobs,
    resources: { hub, trainingDelivery },
    unitOf: () => unitOf(),
    log,
    metrics: jobMetrics(
      metrics,
      squadJobs.map(({ name }) => name),
    ),
    async *pending() {
      for (const known of journalKinds) {
        // `pendingJobs` passes to a kind only states of that kind, so the type of the states does not matter here.
        const kind = known as unknown as JournalKind<unknown, object>;
        yield* journals.pendingJobs(kind);
      }
    },
  });
  journals.sendJobsTo((jobs) => jobs.forEach((job) => fileJobs.add(job)));
  fileJobs.start();
  return { trainingDelivery, fileJobs };
}
