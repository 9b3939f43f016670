import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Binaries } from './binaries.ts';
import { dataDirectoryArgument, programEnvironment, readServerPid, type Cluster } from './cluster.ts';

/** A running PostgreSQL server. */
export interface ServerProcess {
  pid: number;
  /** Resolves, never rejects, when the server has ended; the text says how, with its last log lines. */
  ended: Promise<string>;
  /** Fast shutdown: clients are disconnected, everything is written. After 30 s it is killed and recovers later. */
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  binaries: Binaries;
  cluster: Cluster;
  /** `name=value` settings */
  settings: string[];
  /** A process number in postmaster.pid that is known to be nobody's server; see stopLeftOver. */
  overlookPid: number | undefined;
  onLog: (line: string) => void;
}

const stopGracePeriodMillis = 30_000;

/**
 * The shell between Node and PostgreSQL holds our pipe. When Node ends in whatever way, kill -9 included, the
 * pipe ends, `cat` ends, and the server is asked to shut down. It is asked until it is gone: a signal that comes
 * before PostgreSQL listens for signals is lost, as shells start background programs with SIGINT ignored.
 */
const watchedServer = `
"$@" </dev/null & server=$!
exec 3<&0
(cat <&3 >/dev/null; while kill -INT $server 2>/dev/null; do sleep 0.1; done) 2>/dev/null & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
exit $code`;

/** Starts the server and resolves when it takes connections; rejects with its log where it does not. */
export async function runServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const { binaries, cluster, settings, overlookPid, onLog } = options;
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
      // a session of its own: a Ctrl-C in the terminal is for Node, which stops its services before the database
      detached: true,
      env: {
        ...programEnvironment(),
        ...(overlookPid === undefined ? {} : { PG_GRANDPARENT_PID: String(overlookPid) }),
      },
    },
  );
  const lastLines: string[] = [];
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // 'close', not 'exit': by then all of the log has been read
    child.once('close', (code, signal) =>
      resolve(`PostgreSQL ended with ${signal ?? `code ${code}`}:\n${lastLines.join('\n')}`),
    );
  });
  // The other end may be gone when we end the pipe; that is what `ended` tells.
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

/** A running server must not keep a program alive that has nothing else to do; when it ends, so does the server. */
function letNodeEnd(child: ChildProcess): void {
  child.unref();
  (child.stdin as Socket).unref();
  (child.stderr as Socket).unref();
}

async function stop(child: ChildProcess, pid: number, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  (child.stderr as Socket).ref();
  const atOnce = setTimeout(() => process.kill(pid, 'SIGQUIT'), stopGracePeriodMillis);
  child.stdin!.end();
  if (child.exitCode === null) await once(child, 'exit');
  clearTimeout(atOnce);
  await ended;
}
