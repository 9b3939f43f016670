import type { afterEach } from '@jest/globals';
import { z } from 'zod';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { jobOf, type AnyJob } from '#server/jobs/job.ts';
import { startJobs } from '#server/jobs/start-jobs.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database } from '../../subgraphs/content/database.ts';
import { cloneDatabase } from './database.ts';

const log = createLogger('jobs', 'silent');

export const defineJob = jobOf<object>();

/**
 * Databases with jobs, and their workers, for the tests of a file or a `describe`.
 * @param after when everything that was opened is closed: `afterEach`, or `afterAll` for tests that run at the same time
 */
export function jobDatabases(after: typeof afterEach) {
  const closings: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const close of closings.splice(0).toReversed()) await close();
  });

  async function opened() {
    const address = await cloneDatabase(database);
    const { server, name } = address;
    const orm = await openDatabase(database, { server, name, migrate: false });
    closings.push(() => orm.close(true));
    const unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
    const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
      orm.em.fork().execute<Row[]>(text, values);
    /** Starts a replica's worker; several may run over one database. */
    const start = (jobs: readonly AnyJob[]) => {
      const metrics = createMetrics('jobs');
      const running = startJobs({ jobs, resources: {}, unitOf, database: { server, name }, metrics, log });
      closings.push(() => running.stop());
      return { stop: () => running.stop(), drain: () => running.drain(), metrics };
    };
    /** The stored jobs in the order of their ids, without the job that removes failed ones. */
    const stored = () =>
      sql<{ name: string; attempts: number; error: string | null; locked: boolean }>(
        `select task_identifier as name, attempts, last_error as error, locked_at is not null as locked
         from graphile_worker.jobs where task_identifier <> 'remove_failed_jobs' order by id`,
      );
    return { address, unitOf, sql, start, stored };
  }

  return { opened, closeAfterTest: (close: () => Promise<unknown>) => void closings.push(close) };
}

export const Numbered = z.object({ n: z.int() });

/** A job that records its payloads in `ran`. */
export function recordingJob(name = 'recorded', run: (n: number) => Promise<void> = async () => undefined) {
  const ran: number[] = [];
  const job = defineJob({
    name,
    payload: Numbered,
    maxAttempts: 5,
    async run({ n }) {
      ran.push(n);
      await run(n);
    },
  });
  return { job, ran };
}
