import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Started {
  readonly pid: number;
  /** The first line of its output that matches `ready`; empty without `ready`. */
  readonly line: string;
  /** Suspends the program and its children until `resume` (SIGSTOP). */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly ready?: RegExp;
  /**
   * The beginning of a command that starts the program and then becomes it, so that it has the same process id; for
   * example `taskset -c 0`.
   */
  readonly commandPrefix?: readonly string[];
}

// Without these listeners, a signal would end this program without the event 'exit', and the started programs would keep
// running.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

/** Starts a program and, with `ready`, waits for a matching line of its output. */
export async function start(
  args: readonly string[],
  { env, cwd, ready, commandPrefix = [] }: StartOptions = {},
): Promise<Started> {
  const [command = process.execPath, ...more] = [...commandPrefix, process.execPath, ...args];
  const child = spawn(command, more, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A suspended program never ends by itself, so it is killed when the measurement ends for any reason.
  process.once('exit', () => child.kill('SIGKILL'));
  const line = await firstLine(child, ready);
  // Further output is read and ignored: the program would wait if the pipe were full.
  for (const output of [child.stdout, child.stderr]) output?.removeAllListeners('data').resume();
  return {
    pid: child.pid ?? 0,
    line,
    pause: () => signal(child.pid ?? 0, 'SIGSTOP'),
    resume: () => signal(child.pid ?? 0, 'SIGCONT'),
    stop: () =>
      new Promise((resolve) => {
        signal(child.pid ?? 0, 'SIGCONT');
        // A program that a signal has ended has no exit code.
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        const last = setTimeout(() => child.kill('SIGKILL'), 5_000);
        child.once('exit', () => {
          clearTimeout(last);
          resolve();
        });
        child.kill('SIGTERM');
      }),
  };
}

/** Sends the signal to a process and its children, if they are still running. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    for (const one of [pid, ...childrenOf(pid)]) process.kill(one, name);
  } catch {
    // The process has ended, which its 'exit' event reports.
  }
}

function firstLine(child: ChildProcess, ready: RegExp | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!ready) resolve('');
    let output = '';
    const timer = setTimeout(() => reject(new Error(`not ready after 10 min:\n${output}`)), 600_000);
    timer.unref();
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
      const line = output.split('\n').find((text) => ready?.test(text));
      if (line === undefined) return;
      clearTimeout(timer);
      resolve(line);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)));
  });
}

/** Sends the request again and again until it is answered with 200. @throws Error after `limitMillis` */
export async function waitForAnswer(
  url: string,
  body: string,
  headers: Record<string, string>,
  limitMillis = 30_000, // 30 s
): Promise<void> {
  const limit = AbortSignal.timeout(limitMillis);
  while (!limit.aborted) {
    const status = await fetch(url, { method: 'POST', headers, body, signal: limit }).then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${url} does not answer`);
}

/**
 * Milliseconds of processor time that all threads of a process and of its children have used. The operating system counts
 * threads in nanoseconds, and whole processes only in hundredths of a second. The time of a thread that has ended is
 * missing, but Node's threads do not end.
 * @param without a descendant whose time, with that of its own children, is not counted
 */
export function cpuMillisOf(pid: number, without?: number): number {
  const nanos = readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    0,
  );
  return childrenOf(pid)
    .filter((child) => child !== without)
    .reduce((sum, child) => sum + ofChild(child, without), nanos / 1e6);
}

/** A child, such as a worker of PostgreSQL, may end meanwhile; its time is then missing, like that of an ended thread. */
function ofChild(pid: number, without: number | undefined): number {
  try {
    return cpuMillisOf(pid, without);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

/** Resident memory of a process and its children, in MiB. */
export function memoryMibOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return childrenOf(pid).reduce((sum, child) => sum + memoryMibOf(child), Number(kib ?? 0) / 1024);
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
