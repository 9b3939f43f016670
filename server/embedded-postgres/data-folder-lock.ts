import fs from 'node:fs';
import path from 'node:path';
import type { SystemUser } from './system-user.ts';
import { StartError } from '../start-error.ts';

/** Another running process uses the data folder. */
export class DataFolderInUseError extends StartError {
  override readonly name = 'DataFolderInUseError';
  readonly dataDir: string;
  /** The other process; undefined if it has not written its process number yet. */
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    super(
      `The data folder ${dataDir} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. ` +
        'Stop that process first, or set another folder for this one (DATA_DIR), ' +
        'or let both use one PostgreSQL server (DATABASE_URL).',
    );
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

export interface DataFolderLock {
  /** The note of the process that had the lock before; undefined if there was none. */
  previousNote: string | undefined;
  release(): void;
}

/**
 * Locks the folder for this process, until `release` or the end of the process, however it ends.
 *
 * The lock is the kernel's lock on a file (fcntl), taken through SQLite because Node has no function for it. The kernel
 * releases the lock when the process ends: a restart directly after kill -9 succeeds without a timeout, and a reused
 * process number does no harm. The lock also works between containers that share a volume, which see neither each other's
 * process numbers nor abstract sockets.
 *
 * Never open the file `lock` in another way in the same process: closing it again would release the lock.
 *
 * `note` is stored beside the lock for the next process that gets it, which can then clean up after a killed process.
 * `user` will own the lock's files, so that this user can start the server here after root has done so.
 *
 * @throws DataFolderInUseError if another process, or this one, has the lock
 */
export function lockDataFolder(dataDir: string, note: string, user: SystemUser = {}): DataFolderLock {
  const holderFile = path.join(dataDir, 'lock-holder.json');
  // A static import would fail on Node before 22.13, which has no node:sqlite, before the launcher prints its message.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const lockFile = path.join(dataDir, 'lock');
  const database = new DatabaseSync(lockFile);
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if (isLocked(error)) throw new DataFolderInUseError(dataDir, readHolder(holderFile).pid);
    throw error;
  }
  const previousNote = readHolder(holderFile).note;
  fs.writeFileSync(holderFile, JSON.stringify({ pid: process.pid, note }));
  if (user.uid !== undefined)
    for (const file of [lockFile, holderFile]) fs.chownSync(file, user.uid, user.gid);
  return { previousNote, release: () => void (database.isOpen && database.close()) };
}

function isLocked(error: unknown): boolean {
  const busy = 5; // SQLITE_BUSY
  return (error as { errcode?: number }).errcode === busy;
}

/** The id and the note of the process that has, or had, the lock. The file does not show whether it still has the lock. */
export const holderOf = (dataDir: string): { pid?: number; note?: string } =>
  readHolder(path.join(dataDir, 'lock-holder.json'));

function readHolder(file: string): { pid?: number; note?: string } {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as { pid?: number; note?: string };
  } catch {
    return {}; // the file is absent, or its writer was killed in the middle; the message then lacks the process number
  }
}
