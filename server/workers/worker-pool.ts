import os from 'node:os';
import { atMost } from '../concurrency.ts';
import { processFor, threadFor, type Helper } from './helpers.ts';

interface WorkerPoolOptions {
  /**
   * `thread` for synchronous work. `process` for work that runs in libuv's threads, which all threads of a process share.
   */
  kind: 'thread' | 'process';
  /** How many jobs run at once at most, each in a helper of its own; fewer if no processor would be left for other work. */
  mostHelpers: number;
  /** How many jobs wait for each helper at most; further ones are refused. */
  waitingForEach: number;
}

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
  private readonly slot: ReturnType<typeof atMost>;
  private readonly idle: { helper: Helper; end: NodeJS.Timeout }[] = [];

  /** @param program a file that calls `serveJobs` */
  constructor(program: URL, { kind, mostHelpers, waitingForEach }: WorkerPoolOptions) {
    const helpers = Math.max(1, Math.min(mostHelpers, os.availableParallelism() - 1));
    this.program = program;
    this.kind = kind;
    this.slot = atMost(helpers, { waiting: helpers * waitingForEach });
  }

  /** Runs one job; waiting jobs run in their order. @throws SERVER_BUSY if too many wait; an Error if the job failed */
  run(job: Job): Promise<Result> {
    return this.slot(async () => {
      const helper = this.takeIdle() ?? this.started();
      helper.ref();
      const result = await resultOf<Result>(helper, job);
      helper.unref();
      this.idle.push({ helper, end: setTimeout(() => helper.end(), IDLE_MILLIS).unref() });
      if ('error' in result) throw new Error(result.error);
      return result.value;
    });
  }

  private takeIdle(): Helper | undefined {
    const one = this.idle.pop();
    clearTimeout(one?.end);
    return one?.helper;
  }

  private started(): Helper {
    const helper = (this.kind === 'thread' ? threadFor : processFor)(this.program);
    helper.events.on('error', () => undefined); // its job gets the error; 'exit' follows
    helper.events.once('exit', () => {
      const at = this.idle.findIndex((one) => one.helper === helper);
      if (at !== -1) clearTimeout(this.idle.splice(at, 1)[0]?.end);
    });
    return helper;
  }
}

/** @throws Error if the helper ends before it has a result */
function resultOf<Result>({ events, send }: Helper, job: unknown): Promise<JobResult<Result>> {
  return new Promise((resolve, reject) => {
    const onMessage = (result: JobResult<Result>): void => {
      events.off('error', onEnd).off('exit', onEnd);
      resolve(result);
    };
    const onEnd = (cause: unknown): void => {
      events.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      reject(new Error('a helper ended before its job did', { cause }));
    };
    events.once('message', onMessage).once('error', onEnd).once('exit', onEnd);
    send(job);
  });
}
