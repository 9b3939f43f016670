/**
 * A worker of jobs in its own process, for a test that kills it: it prints `begun` when it runs the job `endless`, which
 * never ends.
 */
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import type { DatabaseServer } from '#server/database/database-server.ts';
import { jobOf } from '#server/jobs/job.ts';
import { startJobs } from '#server/jobs/start-jobs.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { z } from 'zod';
import { database } from '../../../subgraphs/content/database.ts';

const address = JSON.parse(process.env.TEST_DATABASE ?? '') as { server: DatabaseServer; name: string };
const orm = await openDatabase(database, address);
const log = createLogger('killed', 'silent');
startJobs({
  jobs: [
    jobOf<object>()({
      name: 'endless',
      payload: z.object({}),
      maxAttempts: 5,
      async run() {
        process.stdout.write('begun\n');
        await new Promise(() => undefined);
      },
    }),
  ],
  resources: {},
  unitOf: () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN),
  database: address,
  metrics: createMetrics('killed'),
  log,
});
