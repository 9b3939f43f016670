import type { AnyJob } from '#server/jobs/job.ts';
import type { JobRow, JobsWithoutDatabase } from '#server/jobs/jobs.ts';
import { runJob, type JobHost, type StoredFailure } from '#server/jobs/run-job.ts';
import type { JournalJob } from './journal.ts';

/** The first and the longest pause after a failed attempt; each pause is twice as long as the one before. */
const RETRY_MILLIS = [1_000, 300_000] as const; // 1 s, 5 min
/** How often the metrics of waiting jobs are set. */
const REPORT_MILLIS = 5_000;
/** The longest delay of a timer in Node. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;
/** The maximum number of jobs in memory. Further jobs are read from the journals once fewer than half as many are left. */
const MAX_JOBS = 10_000;
/** The maximum number of refused jobs in memory. If there are more, the oldest one is dropped; the next start tries it again. */
const MAX_REFUSED = 1_000;

interface FileJob {
  readonly id: string;
  readonly declared: AnyJob;
  readonly payload: object;
  readonly createdAt: Date;
  runAt: Date;
  attempts: number;
  error: string | null;
  state: 'waiting' | 'running' | 'refused';
  /** When the job is due again after it has succeeded, because it was added again while it was running. */
  againAt: Date | undefined;
}

interface FileJobsOptions extends Omit<JobHost, 'signal'> {
  jobs: readonly AnyJob[];
  /** All jobs that the journals still need. */
  pending: () => AsyncIterable<readonly JournalJob[]>;
}

/**
 * The jobs of journals in files. They are in memory only: the journals say which jobs they need, and a start reads the
 * journals. A job is repeated until it succeeds. One that throws `JobRefused` is not repeated, until an operator retries it or
 * until the next start.
 */
export class FileJobs implements JobsWithoutDatabase {
  private readonly options: FileJobsOptions;
  /** The jobs that wait or run. */
  private readonly jobs = new Map<string, FileJob>();
  private readonly refused = new Map<string, FileJob>();
  private readonly stopping = new AbortController();
  private readonly host: JobHost;
  private readonly reporting: NodeJS.Timeout;
  private lastId = 0;
  private isIncomplete = false;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;

  constructor(options: FileJobsOptions) {
    this.options = options;
    const { unitOf, log, metrics } = options;
    const resources = { ...options.resources, fileJobs: this };
    this.host = { resources, unitOf, log, metrics, signal: this.stopping.signal };
    this.reporting = setInterval(() => this.report(), REPORT_MILLIS).unref();
  }

  /** Begins with the jobs that the journals need. */
  start(): void {
    this.isIncomplete = true;
    this.wake();
  }

  add(job: JournalJob): void {
    const key = keyOf(job);
    const runAt = job.runAt ?? new Date();
    const known = this.jobs.get(key);
    const refused = this.refused.get(key);
    if (known?.state === 'running') known.againAt = runAt;
    else if (known) known.runAt = runAt;
    else if (refused) this.repeat(key, refused, { runAt });
    else if (this.jobs.size >= MAX_JOBS) this.isIncomplete = true;
    else {
      const declared = this.options.jobs.find(({ name }) => name === job.name);
      if (!declared) throw new Error(`There is no job "${job.name}".`);
      this.jobs.set(key, {
        id: String(++this.lastId),
        declared,
        payload: job.payload,
        createdAt: new Date(),
        runAt,
        attempts: 0,
        error: null,
        state: 'waiting',
        againAt: undefined,
      });
    }
    this.wake();
  }

  rows(): readonly JobRow[] {
    return [...this.refused.values(), ...this.jobs.values()].map(rowOf);
  }

  retry(id: string): JobRow | undefined {
    const [key, job] = [...this.jobs, ...this.refused].find(([, one]) => one.id === id) ?? [];
    if (!key || !job) return undefined;
    if (job.state !== 'running') {
      this.repeat(key, job, { attempts: 0, runAt: new Date() });
      this.wake();
    }
    return rowOf(job);
  }

  private repeat(key: string, job: FileJob, change: Partial<FileJob>): void {
    Object.assign(job, change, { state: 'waiting' });
    this.refused.delete(key);
    this.jobs.set(key, job);
  }

  private refuse(key: string, job: FileJob): void {
    job.state = 'refused';
    this.jobs.delete(key);
    this.refused.set(key, job);
    const [oldest] = this.refused.keys();
    if (this.refused.size > MAX_REFUSED && oldest) this.refused.delete(oldest);
  }

  async dispose(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    clearInterval(this.reporting);
    await this.working;
  }

  private report(): void {
    const { pending, oldestDue } = this.options.metrics;
    pending.reset();
    oldestDue.reset();
    const waiting = [...this.jobs.values()].filter(({ state }) => state === 'waiting');
    for (const [name, jobs] of Map.groupBy(waiting, ({ declared }) => declared.name)) {
      pending.set({ name }, jobs.length);
      const first = jobs.reduce((least, { runAt }) => Math.min(least, runAt.getTime()), Infinity);
      oldestDue.set({ name }, Math.max(0, Date.now() - first) / 1_000);
    }
  }

  private wake(): void {
    if (this.stopping.signal.aborted) return;
    this.working ??= this.runDue().finally(() => {
      this.working = undefined;
      this.planNext();
    });
  }

  /** Runs jobs one after the other until none is due. Never rejects. */
  private async runDue(): Promise<void> {
    // After the caller's turn, so that an answer to a request does not wait for the first job.
    await new Promise(setImmediate);
    if (this.isIncomplete && this.jobs.size < MAX_JOBS / 2) await this.readPending();
    for (let next = this.nextDue(); next && !this.stopping.signal.aborted; next = this.nextDue())
      await this.attempt(...next);
  }

  private async readPending(): Promise<void> {
    this.isIncomplete = false;
    try {
      for await (const jobs of this.options.pending())
        for (const job of jobs) if (!this.isKnown(job)) this.add(job);
    } catch (error) {
      this.isIncomplete = true;
      this.options.log.warn(
        { err: error },
        'the jobs of the journals could not be read; they are read again',
      );
    }
  }

  /** Whether the job waits already, possibly for its next attempt, or was refused: reading the journals again changes neither. */
  private isKnown(job: JournalJob): boolean {
    return this.jobs.has(keyOf(job)) || this.refused.has(keyOf(job));
  }

  private nextDue(): [string, FileJob] | undefined {
    const now = Date.now();
    for (const entry of this.jobs)
      if (entry[1].state === 'waiting' && entry[1].runAt.getTime() <= now) return entry;
    return undefined;
  }

  private async attempt(key: string, job: FileJob): Promise<void> {
    const againAt = job.againAt && job.againAt.getTime() > Date.now() ? job.againAt : undefined;
    Object.assign(job, { state: 'running', againAt, attempts: job.attempts + 1 });
    const { id, payload, attempts: number } = job;
    try {
      await runJob(job.declared, { id, payload, number, max: Infinity }, this.host);
      // Nothing is awaited between the comparison and the removal: a job that is added in between would be lost.
      if (!job.againAt) this.jobs.delete(key);
      else
        Object.assign(job, {
          state: 'waiting',
          runAt: job.againAt,
          againAt: undefined,
          attempts: 0,
          error: null,
        });
    } catch (error) {
      const failure = error as StoredFailure; // runJob throws nothing else
      job.error = failure.message;
      const pause = Math.min(RETRY_MILLIS[0] * 2 ** (number - 1), RETRY_MILLIS[1]);
      Object.assign(job, { state: 'waiting', runAt: new Date(Date.now() + pause) });
      if (failure.isFinal && !job.againAt) this.refuse(key, job);
    }
  }

  private planNext(): void {
    clearTimeout(this.timer);
    if (this.stopping.signal.aborted) return;
    const times = [...this.jobs.values()]
      .filter(({ state }) => state === 'waiting')
      .map(({ runAt }) => runAt.getTime());
    if (this.isIncomplete) times.push(Date.now() + RETRY_MILLIS[0]);
    if (times.length === 0) return;
    const delay = Math.min(
      Math.max(0, times.reduce((a, b) => Math.min(a, b)) - Date.now()),
      MAX_TIMER_MILLIS,
    );
    this.timer = setTimeout(() => this.wake(), delay);
    this.timer.unref();
  }
}

const keyOf = ({ name, payload }: JournalJob): string => JSON.stringify([name, payload]);

const rowOf = (job: FileJob): JobRow => ({
  id: job.id,
  name: job.declared.name,
  attempts: job.attempts,
  // A refusal ends the attempts, whatever their number.
  maxAttempts: job.state === 'refused' ? job.attempts : Math.max(job.declared.maxAttempts, job.attempts + 1),
  createdAt: job.createdAt.toISOString(),
  runAt: job.runAt.toISOString(),
  isLocked: job.state === 'running',
  error: job.error,
  payload: { ...job.payload },
});
