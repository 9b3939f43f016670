import fs from 'node:fs';
import path from 'node:path';
import type { SystemUser } from './system-user.ts';
import { StartError } from '../start-error.ts';

/** Another living process uses the data folder. */
export class DataFolderInUseError extends StartError {
  override readonly name = 'DataFolderInUseError';
  readonly dataDir: string;
  /** undefined if the holder has not written its process number yet */
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    super(
      `The data folder ${dataDir} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. ` +
        'Stop that one first, or give this one a folder of its own (DATA_DIR), ' +
        'or let both use one PostgreSQL server (DATABASE_URL).',
    );
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

export interface DataFolderLock {
  /** The note of the previous holder; undefined if there was none. */
  previousNote: string | undefined;
  release(): void;
}

/**
 * Locks the folder for this process, until `release` or the end of the process, however it ends.
 *
 * The lock is the kernel's lock on a file (fcntl), taken through SQLite because Node has no other way to take one. The
 * kernel releases it at the moment the process ends: a restart directly after kill -9 succeeds, no timeout has to
 * pass, and a reused process number does no harm. It also works between containers that share a volume, which see neither
 * each other's process numbers nor abstract sockets.
 *
 * Never open the file `lock` in another way in the same process: closing it again would release the lock.
 *
 * `note` is stored beside the lock for the next holder, which can then clean up after a holder that was killed.
 * `user` will own the lock's files, so that this user can start the server here after root has done so.
 *
 * @throws DataFolderInUseError if another process, or this one, holds the lock
 */
export function lockDataFolder(dataDir: string, note: string, user: SystemUser = {}): DataFolderLock {
  const holderFile = path.join(dataDir, 'lock-holder.json');
  // Not a static import: a Node before 22.13 has no node:sqlite, and must reach the launcher's message first.
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

function readHolder(file: string): { pid?: number; note?: string } {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as { pid?: number; note?: string };
  } catch {
    return {}; // absent, or its writer was killed in the middle: then a message lacks this detail
  }
}
