import { fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { NICENESS } from './niceness.ts';

/** A thread or a process that runs the jobs of a `WorkerPool`, one at a time. */
export interface Helper {
  /** Emits 'message' with the result of a job, 'error' and 'exit'. */
  readonly events: EventEmitter;
  send(job: unknown): void;
  /** From now on the helper keeps this process running. */
  ref(): void;
  /** From now on the helper does not keep this process running. */
  unref(): void;
  end(): void;
}

export function threadFor(program: URL): Helper {
  const worker = new Worker(program);
  return {
    events: worker,
    send: (job) => worker.postMessage(job, []),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end: () => void worker.terminate(),
  };
}

/** @param maxHeapMib a process that needs more ends; undefined: the limit of Node */
export function processFor(program: URL, maxHeapMib?: number): Helper {
  const child = fork(fileURLToPath(program), {
    serialization: 'advanced',
    execArgv: maxHeapMib === undefined ? [] : [`--max-old-space-size=${maxHeapMib}`],
    // If the heap is full, V8 prints a stack trace of many lines, which would be between the lines of the log.
    stdio: ['ignore', 'inherit', maxHeapMib === undefined ? 'inherit' : 'ignore', 'ipc'],
  });
  try {
    // The process has started no further threads yet; each will inherit the priority of the thread that starts it.
    if (child.pid !== undefined) os.setPriority(child.pid, NICENESS);
  } catch {
    // The process has ended already, which its event 'exit' reports.
  }
  return {
    events: child,
    send: (job) => void child.send(job as object),
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
    end: () => void child.kill('SIGKILL'),
  };
}
