import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { makePrivateFolder, type SystemUser } from './system-user.ts';

/** The folder that PostgreSQL itself calls its data directory. */
export interface Cluster {
  dir: string;
  user: SystemUser;
}

/**
 * How PostgreSQL is told where its data is. As root we start it inside the folder and then give up our rights;
 * `/proc/self/cwd` leads there without a look at the parents, so that data below /root, which its own user may
 * not cross, works like any other. Linux only; elsewhere, and for ordinary users, the plain path.
 */
export function dataDirectoryArgument(cluster: Cluster): string {
  return cluster.user.uid !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster.dir;
}

/** The environment of PostgreSQL's programs: nothing of ours, and messages in English, because they are read. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Creates the cluster where there is none, with data checksums. It comes into being by a rename, so a process
 * killed in the middle leaves nothing that a later start could take for a database.
 */
export function createCluster(cluster: Cluster, binaries: Binaries, options: { durable: boolean }): void {
  const versionFile = path.join(cluster.dir, 'PG_VERSION');
  if (fs.existsSync(versionFile)) {
    requireVersion(cluster, fs.readFileSync(versionFile, 'utf8').trim(), binaries.majorVersion);
    return;
  }
  removeUnfinished(cluster.dir);
  // A name of its own: the initdb of a killed process may go on for a moment, and must not write into ours.
  const unfinished: Cluster = {
    ...cluster,
    dir: `${cluster.dir}.unfinished-${randomBytes(4).toString('hex')}`,
  };
  makePrivateFolder(unfinished.dir, cluster.user);

  const run = spawnSync(
    binaries.initdb,
    [
      `--pgdata=${dataDirectoryArgument(unfinished)}`,
      '--username=postgres',
      '--auth=trust',
      // the same order of strings on every machine, and no locale that the machine would have to have
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
      ...(options.durable ? [] : ['--no-sync']),
    ],
    { ...cluster.user, cwd: unfinished.dir, encoding: 'utf8', env: programEnvironment() },
  );
  if (run.status !== 0) {
    const reason = run.error?.message ?? run.stderr.trim();
    throw new Error(
      `The embedded PostgreSQL could not create its data folder ${cluster.dir}: ${reason}\n` +
        'Check that there is space, that its user may write there and has an entry in /etc/passwd; ' +
        'or choose another folder (DATA_DIR), or a server of your own (DATABASE_URL).',
    );
  }
  fs.renameSync(unfinished.dir, cluster.dir);
  // Else a power failure could take back the folder's new name, and the next start would begin with an empty one.
  if (options.durable) syncFolder(path.dirname(cluster.dir));
}

/**
 * Ends the server that a killed process left behind: normally it is just shutting down by itself, because its
 * watcher saw us die. Only to be called with the lock held: then no living process of ours owns that server.
 *
 * Resolves to the number in `postmaster.pid` where by now it belongs to some other program. PostgreSQL would
 * refuse to start for that; it is told to overlook it, and still checks for processes that use the old memory.
 */
export async function stopLeftOver(cluster: Cluster): Promise<{ reusedPid: number | undefined }> {
  const deadline = Date.now() + 30_000;
  let signal: NodeJS.Signals = 'SIGINT'; // fast shutdown: clients are disconnected, everything is written
  for (;;) {
    const pid = readServerPid(cluster);
    if (pid === undefined || !isAlive(pid)) return { reusedPid: undefined };
    if (!isServerOf(pid, cluster)) return { reusedPid: pid };
    if (Date.now() > deadline) signal = 'SIGQUIT'; // at once; the next start recovers from the log
    if (Date.now() > deadline + 10_000)
      throw new Error(`An earlier PostgreSQL, process ${pid}, cannot be stopped.`);
    sendSignal(pid, signal);
    await sleep(20); // there is no event for the end of a process that is not our child
  }
}

/** The process number of the running server; undefined where there is none. */
export function readServerPid(cluster: Cluster): number | undefined {
  try {
    const pid = Number.parseInt(fs.readFileSync(path.join(cluster.dir, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function removeUnfinished(clusterDir: string): void {
  const parent = path.dirname(clusterDir);
  for (const name of fs.readdirSync(parent)) {
    if (!name.startsWith(`${path.basename(clusterDir)}.unfinished-`)) continue;
    try {
      fs.rmSync(path.join(parent, name), { recursive: true, force: true });
    } catch {
      // still being written into; the next first start tries again
    }
  }
}

function requireVersion(cluster: Cluster, found: string, wanted: number): void {
  if (found === String(wanted)) return;
  throw new Error(
    `The data in ${cluster.dir} was written by PostgreSQL ${found}; the embedded one is ${wanted} and cannot open it. ` +
      `Move it with pg_dump and pg_restore (see docs/operations.md), or start with another DATA_DIR.`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Process numbers are used again, so a number alone is no proof: a server's working directory is its data. */
function isServerOf(pid: number, cluster: Cluster): boolean {
  if (process.platform === 'linux') {
    try {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(cluster.dir);
    } catch {
      return false; // ended just now, or not ours to look at
    }
  }
  const command = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return command.stdout.includes(cluster.dir);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has just ended
  }
}

function syncFolder(dir: string): void {
  const handle = fs.openSync(dir, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
