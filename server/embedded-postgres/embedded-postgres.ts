import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseServer } from '../database/database-server.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, stopLeftOver, type Cluster } from './cluster.ts';
import { holderOf, lockDataFolder, type DataFolderLock } from './data-folder-lock.ts';
import { keepRunning } from './keep-running.ts';
import { runServer, type ServerProcess } from './server-process.ts';
import { makePrivateFolder, systemUserFor, type SystemUser } from './system-user.ts';

export { DataFolderInUseError } from './data-folder-lock.ts';

/** The socket folder of the server that another process has started on this folder. */
export const socketDirOf = (dataDir: string): string | undefined => holderOf(path.resolve(dataDir)).note;

export interface EmbeddedPostgresOptions {
  /** The folder with the lock and, in `cluster/`, PostgreSQL's data. It is created if it is missing. */
  dataDir: string;
  /**
   * true: an acknowledged write is on disk, and survives kill -9 and a power failure.
   * false: twice as fast, but writes are lost if the machine fails; for tests only.
   * Default: true.
   */
  durable?: boolean;
  /** Receives each line of the server's log. Default: they are dropped. */
  onLog?: (line: string) => void;
  /** Receives the steps of the start, as text for a person who waits. Default: they are ignored. */
  onProgress?: (step: string) => void;
}

export interface EmbeddedPostgres {
  /** The connection options. They stay the same, also after a restart of the server. */
  server: DatabaseServer;
  /** The folder of the server's Unix socket; the server opens no TCP port. */
  socketDir: string;
  /** The process number of the server. It changes when the server is restarted. */
  readonly pid: number;
  /** Shuts the server down after it has written everything, and releases the data folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server on `dataDir`, and creates its data if there is none.
 *
 * The server ends with this process, also if this process is killed. If the server ends while this process runs (out of
 * memory, killed by mistake), it is started again. If this process runs as root, the server runs as another user, because
 * PostgreSQL refuses to run as root.
 *
 * @throws DataFolderInUseError if another process uses the folder; an Error with a plain message if there is no package for
 * this machine, no space, no right to write, or data of another PostgreSQL version
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, onLog = () => {}, onProgress = () => {} } = options;
  const dataDir = path.resolve(options.dataDir);
  const clusterDir = path.join(dataDir, 'cluster');
  const cluster: Cluster = { dir: clusterDir, user: systemUserFor([clusterDir, dataDir]) };
  const socketDir = chooseSocketDir();

  makeDataFolder(dataDir, cluster.user);
  const lock = lockDataFolder(dataDir, socketDir, cluster.user);
  try {
    removeSocketDirOf(lock);
    onProgress('Looking for the PostgreSQL binaries');
    const binaries = findBinaries(cluster.user);
    onProgress('Preparing the data folder');
    const leftOver = await stopLeftOver(cluster);
    createCluster(cluster, binaries, { durable });
    makePrivateFolder(socketDir, cluster.user);

    onProgress('Starting PostgreSQL');
    const settings = [...settingsFor(socketDir), ...(durable ? [] : settingsWithoutDurability)];
    const start = (reusedPid?: number): Promise<ServerProcess> =>
      runServerWithRetries({ binaries, cluster, settings, reusedPid, onLog });
    const running = keepRunning(await start(leftOver.reusedPid), { cluster, start, onLog });

    return {
      server: { socketDir },
      socketDir,
      get pid() {
        return running.current().pid;
      },
      async stop() {
        await running.stop();
        fs.rmSync(socketDir, { recursive: true, force: true });
        lock.release();
      },
    };
  } catch (error) {
    fs.rmSync(socketDir, { recursive: true, force: true });
    lock.release();
    throw error;
  }
}

function settingsFor(socketDir: string): string[] {
  return [
    'listen_addresses=',
    `unix_socket_directories=${socketDir}`,
    'unix_socket_permissions=0700',
    // The pools of six services have ten connections each, and each service has some more, for jobs and notifications; tests
    // start a second set of services. The rest is a reserve.
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
  ];
}

const settingsWithoutDurability = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'shared_buffers=64MB',
];

/**
 * The socket is in the temporary folder, not beside the data, because the path of a Unix socket is limited to 107 bytes, and
 * folders that are shared with a virtual machine support no sockets. The folder's name is random, so that no other user can
 * create it first.
 */
function chooseSocketDir(): string {
  const name = `fitness-pg-${randomBytes(9).toString('hex')}`;
  const longest = 103 - '/.s.PGSQL.5432'.length - 1; // on macOS a path has at most 103 bytes
  const wanted = path.join(os.tmpdir(), name);
  // The temporary folder of root may be private, so that the server's user cannot enter it.
  const usable =
    Buffer.byteLength(wanted) <= longest && (process.getuid?.() !== 0 || isOpenToAll(os.tmpdir()));
  return usable ? wanted : path.join('/tmp', name);
}

function isOpenToAll(dir: string): boolean {
  const real = fs.realpathSync(dir);
  const parents = real
    .split(path.sep)
    .map((_, index, names) => names.slice(0, index + 1).join(path.sep) || '/');
  return parents.every((parent) => (fs.statSync(parent).mode & 0o001) !== 0);
}

function makeDataFolder(dataDir: string, user: SystemUser): void {
  try {
    makePrivateFolder(dataDir, user);
    fs.accessSync(dataDir, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new Error(
      `The data folder ${dataDir} cannot be used by this process: ${(error as Error).message}. ` +
        'If another user created it (if root did, it belongs to user 65534), run as that user, ' +
        'or choose another folder with DATA_DIR.',
      { cause: error },
    );
  }
}

/** A killed process could not remove its socket folder, so the next holder of the lock removes it. */
function removeSocketDirOf({ previousNote }: DataFolderLock): void {
  if (previousNote && /^fitness-pg-[0-9a-f]{18}$/.test(path.basename(previousNote))) {
    fs.rmSync(previousNote, { recursive: true, force: true });
  }
}

/**
 * Starts the server, and repeats this for 20 s while PostgreSQL refuses to start because of used shared memory. If a
 * server's main process was killed, its workers end a moment later, and use the shared memory until then.
 */
async function runServerWithRetries(options: Parameters<typeof runServer>[0]): Promise<ServerProcess> {
  const deadline = Date.now() + 20_000; // 20 s
  for (;;) {
    try {
      return await runServer(options);
    } catch (error) {
      const isMemoryInUse = /pre-existing shared memory block/.test((error as Error).message);
      if (!isMemoryInUse || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
