import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseCronItems, run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { DatabaseServer } from '../database/database-server.ts';
import type { AnyJob } from './job.ts';
import { countPending, endAttempts, releaseLostJobs, renewLocks, unlock } from './job-store.ts';
import { jobsPool } from './jobs-schema.ts';
import { runJob, StoredFailure, type JobHost } from './run-job.ts';
import { cronItemOf, scheduledAmong, scheduleKeyOf } from './schedule.ts';
import { workerLogger } from './worker-log.ts';

/** Jobs that one replica of a service runs at the same time. */
const CONCURRENT_JOBS = 2;
/** One connection listens, the other one fetches and finishes jobs. What a job does uses the pool of the service. */
const CONNECTIONS = 2;
/**
 * How often the worker looks for jobs whose time has come. A job without a later time does not wait for this: it begins at
 * once, because PostgreSQL notifies the worker of its insert.
 */
const POLL_MILLIS = 5_000;
/** How often the locks are renewed, those of lost workers are released, and waiting jobs are counted. */
const UPKEEP_MILLIS = 5_000;
/** The longest time of a query. Without it a query would wait for ever if the network is interrupted. */
const QUERY_MILLIS = 20_000;
/** The pause after Graphile Worker has given up, for example because a finished job could not be recorded. */
const RESTART_MILLIS = 2_000;
/** How long the stop waits for jobs that still run after the doors have stopped. */
const END_MILLIS = 1_000;

/**
 * Runs the jobs of a service. Replicas share the work: each job is locked by the worker that runs it.
 *
 * A worker renews the locks of its running jobs. If its process is killed, another replica, or the next process, releases
 * the locks 15 s to 25 s later, and the jobs run again.
 */
export class JobWorker {
  private readonly jobs: readonly AnyJob[];
  private readonly host: JobHost;
  private readonly pool: pg.Pool;
  private readonly upkeepTimer: NodeJS.Timeout;
  private readonly stopping: AbortController;
  private readonly ended: Promise<void>;
  private upkeepRun: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private runner: Runner | undefined;
  /** The id by which Graphile Worker locks jobs for this process; another one after each restart of its runner. */
  private workerId: string | undefined;
  private active = 0;

  constructor(
    jobs: readonly AnyJob[],
    host: Omit<JobHost, 'signal'>,
    { server, name }: { server: DatabaseServer; name: string },
  ) {
    this.jobs = jobs;
    this.stopping = new AbortController();
    this.host = { ...host, signal: this.stopping.signal };
    this.pool = jobsPool(server, name, { max: CONNECTIONS, query_timeout: QUERY_MILLIS });
    this.ended = this.keepRunning();
    this.upkeepTimer = setInterval(() => {
      this.upkeepRun ??= this.upkeep().finally(() => (this.upkeepRun = undefined));
    }, UPKEEP_MILLIS);
    this.upkeepTimer.unref();
  }

  /** No further job begins, and running jobs are asked to end. */
  drain(): void {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort();
    void this.runner?.stop().catch(() => undefined);
  }

  /** Waits for the running jobs. A job that does not end in time is released, so that another replica runs it again at once. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    this.drain();
    clearInterval(this.upkeepTimer);
    const late = new AbortController();
    const outcome = await Promise.race([
      this.ended.then(() => 'ended'),
      sleep(END_MILLIS, 'late', { signal: late.signal }),
    ]);
    late.abort();
    await this.upkeepRun;
    if (outcome === 'late' && this.workerId) await unlock(this.pool, [this.workerId]).catch(() => undefined);
    // The time limit is for a query that hangs: `pool.end` waits until its connection is free.
    await Promise.race([this.pool.end(), sleep(500, undefined, { ref: false })]);
  }

  /** Never rejects. */
  private async keepRunning(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.runUntilEnd();
      } catch (error) {
        if (!signal.aborted)
          this.host.log.warn({ err: error }, 'jobs cannot run now; the worker starts again after 2 s');
      }
      if (signal.aborted) return;
      if (this.workerId) await unlock(this.pool, [this.workerId]).catch(() => undefined);
      await sleep(RESTART_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async runUntilEnd(): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => (this.workerId = workerPool.id));
    const runner = await run({
      pgPool: this.pool,
      taskList: this.taskList(),
      parsedCronItems: parseCronItems(scheduledAmong(this.jobs).map(cronItemOf)),
      events,
      logger: workerLogger(this.host.log),
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: CONCURRENT_JOBS,
          // Behind a pooler without DATABASE_DIRECT_URL no insert is notified, but jobs are still found by polling.
          pollInterval: POLL_MILLIS,
          preparedStatements: false, // they belong to a session, which such a pooler does not keep
          // With a delay, even of 0 ms, a failure to record the end of a job ends the runner. Without a delay the failure
          // would be an unhandled rejection, which ends the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    this.runner = runner;
    if (this.stopping.signal.aborted) void runner.stop().catch(() => undefined);
    else await this.addScheduled(runner);
    await runner.promise;
  }

  private taskList(): TaskList {
    const tasks: TaskList = {};
    for (const job of this.jobs)
      tasks[job.name] = async (payload, { job: { id, attempts, max_attempts } }) => {
        this.active += 1;
        try {
          await runJob(job, { id, payload, number: attempts, max: max_attempts }, this.host);
        } catch (error) {
          if (error instanceof StoredFailure && error.isFinal) await endAttempts(this.pool, id);
          throw error;
        } finally {
          this.active -= 1;
        }
      };
    return tasks;
  }

  /** Scheduled jobs also run at each start: otherwise a service that runs for minutes only would never run an hourly job. */
  private async addScheduled(runner: Runner): Promise<void> {
    for (const job of scheduledAmong(this.jobs))
      await runner
        .addJob(
          job.name,
          {},
          {
            jobKey: scheduleKeyOf(job),
            maxAttempts: job.maxAttempts,
          },
        )
        .catch((error: unknown) =>
          this.host.log.warn({ err: error, job: job.name }, 'a job could not be added'),
        );
  }

  private async upkeep(): Promise<void> {
    try {
      if (this.active > 0 && this.workerId) await renewLocks(this.pool, this.workerId);
      const lost = await releaseLostJobs(this.pool);
      if (lost > 0)
        this.host.log.warn({ workers: lost }, 'the jobs of processes that have ended are run again');
      const pending = await countPending(this.pool);
      const { pending: gauge, oldestDue } = this.host.metrics;
      gauge.reset();
      oldestDue.reset();
      for (const { name, jobs, oldestDueSeconds } of pending) {
        gauge.set({ name }, jobs);
        oldestDue.set({ name }, oldestDueSeconds);
      }
    } catch (error) {
      this.host.log.debug({ err: error }, 'the upkeep of jobs failed; it is repeated after 5 s');
    }
  }
}
