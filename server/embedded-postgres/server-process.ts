import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Binaries } from './binaries.ts';
import {
  dataDirectoryArgument,
  PROGRAM_ENVIRONMENT,
  readServerPid,
  sendSignal,
  type Cluster,
} from './cluster.ts';

/** A running PostgreSQL server. */
export interface ServerProcess {
  pid: number;
  /** Resolves, and never rejects, when the server has ended. The text says how it ended, with its last log lines. */
  ended: Promise<string>;
  /**
   * Disconnects the clients, writes everything and ends the server (fast shutdown). After 30 s the server is ended at once
   * (immediate shutdown), and recovers at the next start.
   */
  stop(): Promise<void>;
}

interface ServerProcessOptions {
  binaries: Binaries;
  cluster: Cluster;
  /** PostgreSQL's settings as `name=value`. */
  settings: string[];
  /**
   * The process number in postmaster.pid, if that number now belongs to another program (see `stopLeftOver`). PostgreSQL is then
   * started with an option to ignore the number; otherwise it would not start.
   */
  reusedPid: number | undefined;
  onLog: (line: string) => void;
}

const stopGracePeriodMillis = 30_000;

/**
 * The shell between Node and PostgreSQL reads from a pipe. When Node ends in any way, kill -9 included, the pipe is
 * closed, `cat` ends, and the shell signals the server to shut down. It repeats the signal until the server has ended,
 * because shells start background programs with SIGINT ignored: a signal that arrives before PostgreSQL has installed its
 * handlers is lost.
 */
const watchedServer = `
"$@" </dev/null & server=$!
exec 3<&0
(cat <&3 >/dev/null; while kill -INT $server 2>/dev/null; do sleep 0.1; done) 2>/dev/null & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
exit $code`;

/** Starts the server and resolves when it accepts connections; rejects with its log if it does not. */
export async function runServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const { binaries, cluster, settings, reusedPid, onLog } = options;
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      watchedServer,
      'sh',
      binaries.postgres,
      '-D',
      dataDirectoryArgument(cluster),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    {
      ...cluster.user,
      cwd: cluster.dir,
      stdio: ['pipe', 'ignore', 'pipe'],
      // In a process group of its own the server gets no SIGINT from a Ctrl-C: Node stops the services before the database.
      detached: true,
      env: {
        ...PROGRAM_ENVIRONMENT,
        ...(reusedPid === undefined ? {} : { PG_GRANDPARENT_PID: String(reusedPid) }),
      },
    },
  );
  const lastLines: string[] = [];
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // 'close' is emitted after the whole log has been read; 'exit' may be emitted earlier.
    child.once('close', (code, signal) =>
      resolve(`PostgreSQL ended with ${signal ?? `code ${code}`}:\n${lastLines.join('\n')}`),
    );
  });
  // The process may have ended before this side ends the pipe; `ended` reports that.
  child.stdin.on('error', () => {});
  child.once('exit', () => child.stdin.destroy());

  const ready = new Promise<'ready'>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > 30) lastLines.shift();
      onLog(line);
      if (line.includes('database system is ready to accept connections')) resolve('ready');
    });
  });
  const outcome = await Promise.race([ready, ended]);
  if (outcome !== 'ready') throw new Error(outcome);

  const pid = readServerPid(cluster);
  if (pid === undefined) throw new Error(`PostgreSQL wrote no postmaster.pid into ${cluster.dir}.`);
  letNodeEnd(child);
  return { pid, ended, stop: () => stop(child, pid, ended) };
}

/** If Node has nothing else to do, lets it end although the server runs. The server then ends, too. */
function letNodeEnd(child: ChildProcess): void {
  child.unref();
  (child.stdin as Socket).unref();
  (child.stderr as Socket).unref();
}

async function stop(child: ChildProcess, pid: number, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  (child.stderr as Socket).ref();
  // PostgreSQL may have ended already: its shell ends after it, and Node notices that later still.
  const immediateShutdown = setTimeout(() => sendSignal(pid, 'SIGQUIT'), stopGracePeriodMillis);
  child.stdin!.end();
  if (child.exitCode === null) await once(child, 'exit');
  clearTimeout(immediateShutdown);
  await ended;
}
