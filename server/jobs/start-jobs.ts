import type { DatabaseServer } from '../database/database-server.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { AnyJob } from './job.ts';
import { JobTimers } from './job-timers.ts';
import { JobWorker } from './job-worker.ts';
import { removeFailedJobs } from './remove-failed-jobs.ts';
import { jobMetrics } from './run-job.ts';
import { scheduledAmong } from './schedule.ts';

interface JobsOptions {
  jobs: readonly AnyJob[];
  resources: object;
  unitOf: () => UnitOfWork;
  /** Undefined if the service uses no database: then only its scheduled jobs run. */
  database: { server: DatabaseServer; name: string } | undefined;
  metrics: Metrics;
  log: Logger;
}

/** The running jobs of a service. */
export interface RunningJobs {
  /** No further job begins. */
  drain(): void;
  /** Waits for the running jobs, and releases those that do not end. */
  stop(): Promise<void>;
}

/** Starts the worker for a service's jobs. It runs in the background, so its failures do not fail the start. */
export function startJobs({ jobs, database, metrics, ...host }: JobsOptions): RunningJobs {
  const names = jobs.map(({ name }) => name);
  const jobHost = { ...host, metrics: jobMetrics(metrics, names) };
  if (!database) return new JobTimers(scheduledAmong(jobs), jobHost);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The job "${twice}" is declared twice.`);
  return new JobWorker([...jobs, removeFailedJobs(jobs)], jobHost, database);
}
