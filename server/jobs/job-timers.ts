import type { ScheduledJob } from './schedule.ts';
import { INTERVAL_MILLIS } from './schedule.ts';
import { runJob, type JobHost } from './run-job.ts';

/**
 * Runs the scheduled jobs of a service without a database, one after the other: at the start, and then at their intervals. Such
 * a service has only one process, so no other replica could run the same job at the same time.
 */
export class JobTimers {
  private readonly jobs: readonly ScheduledJob[];
  private readonly host: JobHost;
  private readonly stopping = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private last: Promise<void> = Promise.resolve();

  constructor(jobs: readonly ScheduledJob[], host: Omit<JobHost, 'signal'>) {
    this.jobs = jobs;
    this.host = { ...host, signal: this.stopping.signal };
    for (const job of this.jobs) this.runNext(job);
    this.timers = this.jobs.map((job) =>
      setInterval(() => this.runNext(job), INTERVAL_MILLIS[job.schedule]).unref(),
    );
  }

  drain(): void {
    this.stopping.abort();
  }

  async stop(): Promise<void> {
    this.drain();
    for (const timer of this.timers) clearInterval(timer);
    await this.last;
  }

  private runNext(job: ScheduledJob): void {
    this.last = this.runAfter(this.last, job);
  }

  private async runAfter(previous: Promise<void>, job: ScheduledJob): Promise<void> {
    await previous;
    if (this.stopping.signal.aborted) return;
    // runJob logs the failure; the next run is an interval later.
    await runJob(job, { id: '', payload: {}, number: 1, max: 1 }, this.host).catch(() => undefined);
  }
}
