import os from 'node:os';
import { atMost } from '../concurrency.ts';
import { Gauge, processRegistry } from '../observability/metrics.ts';
import { processFor, threadFor, type Helper } from './helpers.ts';

interface WorkerPoolOptions {
  /** Its name in the metrics. */
  name: string;
  /**
   * `thread` for synchronous work. `process` for work that runs in libuv's threads, which all threads of a process share.
   */
  kind: 'thread' | 'process';
  /** How many jobs run at once at most, each in a helper of its own; fewer if no processor would be left for other work. */
  mostHelpers: number;
  /** How many jobs wait for each helper at most; further ones are refused. */
  waitingForEach: number;
  /**
   * The memory of JavaScript objects of a helper process; one that needs more ends, and its job fails with `isOutOfMemory`.
   * Default: the limit of Node. Not for threads: if a thread exceeds its limit suddenly, V8 ends the whole process.
   */
  maxHeapMib?: number;
  /** A helper that needs longer for one job is ended, and the job fails with `isTooSlow`. Default: no limit. */
  maxJobSeconds?: number;
  /** How long a helper without a job is kept. Default: 1 min. */
  idleMillis?: number;
}

/** The pools of this process by name. Each is made once, and exists as long as the process. */
const pools = new Map<string, { waiting(): number; maxWaiting: number }>();
const waiting: Gauge<'pool'> = new Gauge({
  name: 'worker_tasks_waiting',
  help: 'Tasks that wait for a worker, by pool: passwords, pictures or fit (FIT files).',
  labelNames: ['pool'],
  registers: [processRegistry],
  collect() {
    for (const [pool, tasks] of pools) waiting.set({ pool }, tasks.waiting());
  },
});
const maxWaiting: Gauge<'pool'> = new Gauge({
  name: 'worker_tasks_waiting_max',
  help: 'How many tasks of the pool may wait; further ones are refused. It depends on the number of processors.',
  labelNames: ['pool'],
  registers: [processRegistry],
  collect() {
    for (const [pool, tasks] of pools) maxWaiting.set({ pool }, tasks.maxWaiting);
  },
});

/** The error of a job whose helper has ended before it had a result. */
export class HelperEnded extends Error {
  readonly isOutOfMemory: boolean;
  readonly isTooSlow: boolean;

  /** @param how the error, or the exit code and the signal of the process */
  constructor(...how: unknown[]) {
    super('a helper ended before its job did', { cause: how });
    const [code, signal] = how;
    this.isOutOfMemory = signal === 'SIGABRT' || code === ABORTED;
    this.isTooSlow = code === TOO_SLOW;
  }
}

/** The exit code of a process whose heap is full, if no signal is reported. */
const ABORTED = 134;
/** Takes the place of the exit code if the pool has ended the helper. */
const TOO_SLOW = 'its job took too long';

/** What a helper sends back for a job. */
export type JobResult<Result> = { readonly value: Result } | { readonly error: string };

const IDLE_MILLIS = 60_000; // 1 min

/**
 * Helpers, which are threads or processes with a lower priority, for work that takes a processor for many milliseconds. They
 * are started by the first jobs, do not keep this process running while they have none, and end after a minute without a job.
 *
 * In this process's own threads such work would disturb other requests: libuv's four threads also read files, resolve names
 * and compress answers, and have the priority of the thread that answers requests (`npm run bench:storm`).
 */
export class WorkerPool<Job, Result> {
  private readonly program: URL;
  private readonly kind: WorkerPoolOptions['kind'];
  private readonly maxHeapMib: number | undefined;
  private readonly maxJobSeconds: number | undefined;
  private readonly idleMillis: number;
  private readonly slot: ReturnType<typeof atMost>;
  private readonly idle: { helper: Helper; end: NodeJS.Timeout }[] = [];

  /** @param program a file that calls `serveJobs` */
  constructor(
    program: URL,
    {
      name,
      kind,
      mostHelpers,
      waitingForEach,
      maxHeapMib,
      maxJobSeconds,
      idleMillis = IDLE_MILLIS,
    }: WorkerPoolOptions,
  ) {
    const helpers = Math.max(1, Math.min(mostHelpers, os.availableParallelism() - 1));
    this.program = program;
    this.kind = kind;
    this.maxHeapMib = maxHeapMib;
    this.maxJobSeconds = maxJobSeconds;
    this.idleMillis = idleMillis;
    const most = helpers * waitingForEach;
    this.slot = atMost(helpers, { waiting: most });
    pools.set(name, { waiting: () => this.slot.waitingCount, maxWaiting: most });
  }

  /** Runs one job; waiting jobs run in their order. @throws SERVER_BUSY if too many wait; HelperEnded; an Error if the job failed */
  run(job: Job): Promise<Result> {
    return this.slot(async () => {
      const helper = this.takeIdle() ?? this.started();
      helper.ref();
      const result = await resultOf<Result>(helper, job, this.maxJobSeconds);
      helper.unref();
      this.idle.push({ helper, end: setTimeout(() => this.endIdle(helper), this.idleMillis).unref() });
      if ('error' in result) throw new Error(result.error);
      return result.value;
    });
  }

  private takeIdle(): Helper | undefined {
    const one = this.idle.pop();
    clearTimeout(one?.end);
    return one?.helper;
  }

  /** The helper is removed first: it ends some milliseconds later, and gets no job until then. */
  private endIdle(helper: Helper): void {
    this.removeIdle(helper);
    helper.end();
  }

  private removeIdle(helper: Helper): void {
    const at = this.idle.findIndex((one) => one.helper === helper);
    if (at !== -1) clearTimeout(this.idle.splice(at, 1)[0]?.end);
  }

  private started(): Helper {
    const helper =
      this.kind === 'thread' ? threadFor(this.program) : processFor(this.program, this.maxHeapMib);
    helper.events.on('error', () => undefined); // its job gets the error; 'exit' follows
    helper.events.once('exit', () => this.removeIdle(helper));
    return helper;
  }
}

/** @throws HelperEnded */
function resultOf<Result>(
  { events, send, end }: Helper,
  job: unknown,
  maxSeconds: number | undefined,
): Promise<JobResult<Result>> {
  return new Promise((resolve, reject) => {
    const onMessage = (result: JobResult<Result>): void => {
      clearTimeout(limit);
      events.off('error', onEnd).off('exit', onEnd);
      resolve(result);
    };
    const onEnd = (...how: unknown[]): void => {
      clearTimeout(limit);
      events.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      reject(new HelperEnded(...how));
    };
    const onLimit = (): void => {
      end();
      onEnd(TOO_SLOW);
    };
    const limit = maxSeconds === undefined ? undefined : setTimeout(onLimit, maxSeconds * 1_000);
    events.once('message', onMessage).once('error', onEnd).once('exit', onEnd);
    send(job);
  });
}
