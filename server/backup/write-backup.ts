import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  DataFolderInUseError,
  lockDataFolder,
  type DataFolderLock,
} from '../embedded-postgres/data-folder-lock.ts';
import { socketDirOf, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Progress } from '../run-until-signal.ts';
import { StartError } from '../start-error.ts';
import { ArchiveWriter } from './archive-writer.ts';
import {
  beginAtOneMoment,
  existingDatabases,
  NoCommonMomentError,
  openSession,
  type DatabaseSession,
} from './database-session.ts';
import {
  FORMAT,
  filePart,
  tablePart,
  type DatabaseManifest,
  type FolderManifest,
  type Manifest,
} from './manifest.ts';
import { refuseUnfinishedRestore } from './restore-folder.ts';
import { StagedFolders, type StagedFolder } from './staged-folders.ts';
import { rowsOf, sequencesOf, tablesOf, versionsOf } from './table-copies.ts';
import { PauseEndedError, whilePaused } from './write-pause.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** Where the backup is written. It must not exist. */
  readonly file: string;
  /** The names of the databases; those that do not exist are left out. */
  readonly databases: readonly string[];
  readonly folders: readonly StagedFolder[];
  /** The version of the platform. */
  readonly platform: string;
  /** Names data of the installation that the backup does not contain, as text for an operator. */
  readonly missing: readonly string[];
  readonly progress: Progress;
}

/** The limit of all tries together to find a common moment. */
const FIND_MOMENT_MILLIS = 60_000; // 60 s
/** The limit of one try. It is shorter than MAX_PAUSE_MILLIS, because the same pause must be enough to copy changed files. */
const FIND_MOMENT_ONCE_MILLIS = 1_000; // 1 s

/** The backup fails after this number of pauses that ended too early, also before the deadline, because writers wait during each pause. */
const MAX_PAUSES_TOO_SHORT = 3;

/** Writes a backup of the embedded database and of folders in DATA_DIR, whether the platform runs or not. */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { dataDir, file } = options;
  await refuseExisting(file);
  refuseUnfinishedRestore(dataDir);
  const source = await openSource(dataDir);
  const staging = path.join(dataDir, 'backup');
  let lock: DataFolderLock | undefined;
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    lock = lockDataFolder(staging, ''); // one backup at a time
    const copies = path.join(staging, 'copies');
    await rm(copies, { recursive: true, force: true }); // those of a killed backup
    return await writeFrom(source, new StagedFolders(dataDir, copies, options.folders), options);
  } finally {
    if (lock) await rm(staging, { recursive: true, force: true });
    lock?.release();
    await source.close();
  }
}

/** The database server and folders of an installation. */
interface Source {
  readonly socketDir: string;
  readonly isRunning: boolean;
  close(): Promise<void>;
}

async function openSource(dataDir: string): Promise<Source> {
  const postgres = path.resolve(dataDir, 'postgres');
  if (!(await stat(path.join(postgres, 'cluster')).catch(() => undefined)))
    throw new StartError(
      `There is no database in ${postgres}. Set the same DATA_DIR as for the platform. ` +
        'For a PostgreSQL server of your own see docs/backup.md.',
    );
  try {
    const embedded = await startEmbeddedPostgres({ dataDir: postgres });
    const squad = await lockSquad(dataDir).catch(async (error: unknown) => {
      await embedded.stop();
      throw error;
    });
    return {
      socketDir: embedded.socketDir,
      isRunning: false,
      async close() {
        squad?.release();
        await embedded.stop();
      },
    };
  } catch (error) {
    const socketDir = socketDirOf(postgres);
    if (!(error instanceof DataFolderInUseError) || error.dataDir !== postgres || !socketDir) throw error;
    // The process that runs the database can pause its own writes, but not those of a squad service in a third process. So a
    // squad service in a third process is refused.
    const squad = await lockSquad(dataDir, error.pid);
    squad?.release();
    return { socketDir, isRunning: true, close: async () => undefined };
  }
}

/**
 * Locks the journals in files, if there are any, so that no squad service changes them.
 * @param allowedHolder the id of the process that may have the lock already; then nothing is locked
 * @throws DataFolderInUseError if another process has it
 */
async function lockSquad(dataDir: string, allowedHolder?: number): Promise<DataFolderLock | undefined> {
  const folder = path.join(dataDir, 'squad');
  if (!(await stat(path.join(folder, 'lock')).catch(() => undefined))) return undefined;
  try {
    return lockDataFolder(folder, '');
  } catch (error) {
    if (error instanceof DataFolderInUseError && error.pid !== undefined && error.pid === allowedHolder)
      return undefined;
    throw error;
  }
}

async function writeFrom(source: Source, staged: StagedFolders, options: BackupOptions): Promise<Manifest> {
  const server = { socketDir: source.socketDir };
  const { existing, majorVersion } = await existingDatabases(server, options.databases);
  const sessions: DatabaseSession[] = [];
  const archive = new ArchiveWriter(options.file);
  try {
    for (const name of existing.toSorted()) sessions.push(await openSession(server, name));
    await staged.update();
    const moment = await oneMoment(source, sessions, staged, options.progress);
    const manifest: Manifest = {
      format: FORMAT,
      platform: options.platform,
      postgres: majorVersion,
      moment: moment.toISOString(),
      databases: [],
      folders: [],
      missing: [...options.missing],
    };
    for (const session of sessions) {
      const database = await addDatabase(archive, session);
      manifest.databases.push(database);
      options.progress(`  ${session.name.padEnd(20)} ${sum(database.tables, 'rows')} rows`);
    }
    for (const folder of options.folders) {
      const added = await addFolder(archive, staged, folder);
      manifest.folders.push(added);
      options.progress(`  ${folder.name.padEnd(20)} ${added.files.length} files`);
    }
    const bytes = await archive.finish(manifest);
    options.progress(`${options.file}: ${(bytes / 1e6).toFixed(1)} MB`);
    return manifest;
  } catch (error) {
    await archive.abandon();
    throw explained(error);
  } finally {
    await Promise.allSettled(sessions.map(({ client }) => client.end()));
  }
}

/**
 * Begins the transactions of the sessions, and updates the copies of the folders. Nothing is written into the folders
 * meanwhile, so the copies have the data of the same moment as the transactions.
 */
async function oneMoment(
  source: Source,
  sessions: readonly DatabaseSession[],
  staged: StagedFolders,
  progress: Progress,
): Promise<Date> {
  const deadline = Date.now() + FIND_MOMENT_MILLIS;
  for (let pausesTooShort = 0; ;) {
    const startedAt = performance.now();
    let tries = 0;
    let moment = new Date();
    const find = async () => {
      ({ tries } = await beginAtOneMoment(sessions, Date.now() + FIND_MOMENT_ONCE_MILLIS));
      moment = new Date();
      await staged.update();
    };
    try {
      await (source.isRunning ? whilePaused(source.socketDir, find) : find());
      const millis = Math.round(performance.now() - startedAt);
      progress(
        `The backup has the data of ${moment.toISOString()}, which took ${tries} snapshots${source.isRunning ? `; changes of files waited for ${millis} ms` : ''}`,
      );
      return moment;
    } catch (error) {
      const hasEnded = error instanceof PauseEndedError;
      if (!(hasEnded || error instanceof NoCommonMomentError) || Date.now() > deadline) throw error;
      if (!hasEnded) continue;
      pausesTooShort += 1;
      if (pausesTooShort === MAX_PAUSES_TOO_SHORT) throw error;
      progress('The platform did not pause its writes for long enough; trying again');
      await Promise.all(sessions.map(({ client }) => client.query('rollback')));
      await staged.update(); // what has changed since need not be copied in the next pause
    }
  }
}

async function addDatabase(
  archive: ArchiveWriter,
  { name, client }: DatabaseSession,
): Promise<DatabaseManifest> {
  const versions = await versionsOf(client);
  const tables: DatabaseManifest['tables'] = [];
  for (const table of await tablesOf(client)) {
    const { lines, bytes, sha256 } = await archive.add(tablePart(name, table), rowsOf(client, table));
    tables.push({
      schema: table.schema,
      name: table.name,
      columns: [...table.columns],
      rows: lines,
      bytes,
      sha256,
    });
  }
  // Sequences belong to no snapshot: these values may be later than the moment. The restored database then skips some numbers,
  // which does no harm.
  return { name, ...versions, tables, sequences: await sequencesOf(client) };
}

async function addFolder(
  archive: ArchiveWriter,
  staged: StagedFolders,
  folder: StagedFolder,
): Promise<FolderManifest> {
  const files: FolderManifest['files'] = [];
  for (const name of staged.filesOf(folder)) {
    const file = staged.pathOf(folder, name);
    // Most files of kind `whole` are uploaded pictures, which are compressed already.
    const { bytes, sha256 } = await archive.add(filePart(folder.name, name), createReadStream(file), {
      compress: folder.kind === 'changing',
    });
    files.push({ path: name, bytes, sha256, modifiedAt: staged.modifiedAt(folder, name).toISOString() });
  }
  return { name: folder.name, files };
}

/** An error whose cause an operator can remove, as text for them; any other error unchanged. */
function explained(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code && DISK_PROBLEMS.has(code))
    return new StartError(
      `The backup could not be written (${message}). Free space, or choose another place.`,
      {
        cause: error,
      },
    );
  if (code?.startsWith('57P') || message?.startsWith('Connection terminated'))
    return new StartError(
      'The database ended while it was copied. Start the command again, with or without the platform running.',
      { cause: error },
    );
  return error;
}

const DISK_PROBLEMS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO']);

async function refuseExisting(file: string): Promise<void> {
  if (await stat(file).catch(() => undefined))
    throw new StartError(`${file} exists already, and is not replaced. Choose another name.`);
  if (!(await stat(path.dirname(file)).catch(() => undefined))?.isDirectory())
    throw new StartError(`There is no folder ${path.dirname(file)}. Create it, or choose another place.`);
}

const sum = <Key extends string>(rows: readonly Record<Key, number>[], key: Key): number =>
  rows.reduce((total, row) => total + row[key], 0);
