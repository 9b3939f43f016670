import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { makePrivateFolder, type SystemUser } from './system-user.ts';

/** A data directory of PostgreSQL, and the system user who owns it. */
export interface Cluster {
  dir: string;
  user: SystemUser;
}

/**
 * The path of the data directory, as an argument for PostgreSQL's programs.
 *
 * If this process runs as root on Linux, they start inside the directory and run as another user, and the path is
 * `/proc/self/cwd`: it needs no access to the parent folders, so that data below /root works, too. In all other cases it
 * is the plain path.
 */
export function dataDirectoryArgument(cluster: Cluster): string {
  return cluster.user.uid !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster.dir;
}

/** The environment of PostgreSQL's programs, without our variables. Messages are in English, because this code parses them. */
export const PROGRAM_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the cluster, with data checksums, if there is none. It is created under another name and renamed when it is
 * complete, so that a process that is killed in the middle leaves nothing that a later start could mistake for a database.
 */
export function createCluster(cluster: Cluster, binaries: Binaries, options: { durable: boolean }): void {
  const versionFile = path.join(cluster.dir, 'PG_VERSION');
  if (fs.existsSync(versionFile)) {
    requireVersion(cluster, fs.readFileSync(versionFile, 'utf8').trim(), binaries.majorVersion);
    return;
  }
  removeUnfinished(cluster.dir);
  // A unique name: the initdb of a killed process may run on for a moment, and must not write into this folder.
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
      // These options give the same sort order on every machine, and depend on no locale of the machine.
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
      ...(options.durable ? [] : ['--no-sync']),
    ],
    { ...cluster.user, cwd: unfinished.dir, encoding: 'utf8', env: PROGRAM_ENVIRONMENT },
  );
  if (run.status !== 0) {
    const reason = run.error?.message ?? run.stderr.trim();
    throw new Error(
      `The embedded PostgreSQL could not create its data folder ${cluster.dir}: ${reason}\n` +
        'Check that the disk has space, and that the user of PostgreSQL may write there and has an entry in /etc/passwd; ' +
        'or choose another folder (DATA_DIR), or a server of your own (DATABASE_URL).',
    );
  }
  fs.renameSync(unfinished.dir, cluster.dir);
  // Without the sync a power failure could undo the rename, and the next start would create an empty database.
  if (options.durable) syncFolder(path.dirname(cluster.dir));
}

/**
 * Stops the server that a killed process left behind. Usually it is shutting down already, because its watcher has noticed
 * the end of that process. Call it only while holding the lock: then no living process of the platform owns that server.
 *
 * Resolves to the process number in `postmaster.pid` if it now belongs to another program. PostgreSQL would refuse to start
 * because of that program, so the calling code makes PostgreSQL ignore the number; PostgreSQL still checks that no process uses
 * the old shared memory.
 */
export async function stopLeftOver(cluster: Cluster): Promise<{ reusedPid: number | undefined }> {
  const deadline = Date.now() + 30_000;
  let signal: NodeJS.Signals = 'SIGINT'; // fast shutdown: clients are disconnected, everything is written
  for (;;) {
    const pid = readServerPid(cluster);
    if (pid === undefined || !isAlive(pid)) return { reusedPid: undefined };
    if (!isServerOf(pid, cluster)) return { reusedPid: pid };
    if (Date.now() > deadline) signal = 'SIGQUIT'; // immediate shutdown: the next start recovers from the write-ahead log
    if (Date.now() > deadline + 10_000)
      throw new Error(`An earlier PostgreSQL, process ${pid}, cannot be stopped.`);
    sendSignal(pid, signal);
    await sleep(20); // Node has no event for the end of a process that is not its child
  }
}

/** The process number of the running server; undefined if there is none. */
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
      // A process still writes to the folder. The next start without a cluster tries again.
    }
  }
}

function requireVersion(cluster: Cluster, found: string, wanted: number): void {
  if (found === String(wanted)) return;
  throw new Error(
    `The data in ${cluster.dir} was written by PostgreSQL ${found}; the embedded one is ${wanted} and cannot open it. ` +
      'Make a backup with the release that wrote it, and restore it with this one (see docs/upgrading.md), or start with another DATA_DIR.',
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

/** Process numbers are reused, so the number alone proves nothing. A server's working directory is its data directory. */
function isServerOf(pid: number, cluster: Cluster): boolean {
  if (process.platform === 'linux') {
    try {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(cluster.dir);
    } catch {
      return false; // the process has just ended, or this user may not inspect it
    }
  }
  const command = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return command.stdout.includes(cluster.dir);
}

/** Signals a process that may have ended already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has just ended.
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
