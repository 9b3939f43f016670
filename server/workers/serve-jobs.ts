import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { NICENESS } from './niceness.ts';
import type { JobResult } from './worker-pool.ts';

/** Runs the jobs of a `WorkerPool`, in its helper. @param run has one job as its parameter, and may return a promise */
export function serveJobs(run: (job: never) => unknown): void {
  const port = parentPort;
  if (port) {
    // Only Linux has a priority for each thread; elsewhere this would change the priority of the whole process.
    if (process.platform === 'linux') os.setPriority(NICENESS);
    port.on('message', (job) => void resultOf(run, job).then((result) => port.postMessage(result)));
    return;
  }
  process.on('message', (job) => void resultOf(run, job).then((result) => process.send?.(result)));
  process.on('disconnect', () => process.exit());
  // A Ctrl-C in a terminal reaches this process, too, but the process that stops still needs the result of the running job.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

async function resultOf(run: (job: never) => unknown, job: unknown): Promise<JobResult<unknown>> {
  try {
    // Messages between threads or processes have no type. The pool that starts this program sends the jobs that `run` takes.
    return { value: await run(job as never) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
