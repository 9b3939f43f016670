import { createWriteStream } from 'node:fs';
import { mkdir, open, utimes } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  migrateDatabaseTo,
  migrationsOf,
  type DatabaseDeclaration,
  type DatabaseServer,
} from '../database/database.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Progress } from '../run-until-signal.ts';
import { StartError } from '../start-error.ts';
import { openArchive, type Archive } from './archive-reader.ts';
import { openSession } from './database-session.ts';
import {
  filePart,
  tablePart,
  type DatabaseManifest,
  type FolderManifest,
  type Manifest,
} from './manifest.ts';
import { Measure, type Measured } from './measure.ts';
import { beginRestore, finishRestore } from './restore-folder.ts';
import { loadTables, measured, tablesOf, versionsOf } from './table-copies.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  /** The file that `writeBackup` has written. */
  readonly file: string;
  /** Whether data that are already in `dataDir` are moved aside. Default: no, the restore is refused because of them. */
  readonly replaces?: boolean;
  readonly databases: readonly DatabaseDeclaration[];
  readonly progress: Progress;
}

/**
 * Restores a backup: every table and file is compared with the manifest after it was written. The data get their places in
 * `dataDir` when all of them are complete; a start in between is refused.
 * @throws StartError if the file or the folder cannot be used
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { dataDir, progress } = options;
  const archive = await openArchive(options.file);
  try {
    const { manifest } = archive;
    refuseNewer(manifest, options.databases, options.file);
    const { folder, replaced } = await beginRestore(dataDir, { replaces: options.replaces ?? false });
    if (replaced) progress(`What was in ${dataDir} is in ${replaced} now.`);
    progress(`Restoring the data of ${manifest.moment}, written by version ${manifest.platform}`);
    await restoreDatabases(archive, options, path.join(folder, 'postgres'));
    for (const one of manifest.folders) {
      await restoreFolder(archive, one, path.join(folder, one.name));
      progress(`  ${one.name.padEnd(20)} ${one.files.length} files`);
    }
    await finishRestore(dataDir, folder);
    return manifest;
  } finally {
    archive.close();
  }
}

/** The tables of a newer version cannot be created by this one. */
function refuseNewer(manifest: Manifest, declarations: readonly DatabaseDeclaration[], file: string): void {
  for (const { name, migrations } of manifest.databases) {
    const declaration = declarations.find((one) => one.name === name);
    const known = new Set(declaration ? migrationsOf(declaration).map((migration) => migration.name) : []);
    const unknown = migrations.find((migration) => !known.has(migration));
    if (declaration && unknown === undefined) continue;
    throw new StartError(
      `${file} was written by a newer version of the platform (${manifest.platform}): ` +
        `this version does not know ${declaration ? `the migration ${unknown} of ${name}` : `the database ${name}`}. ` +
        'Restore it with that version or a later one. Nothing was changed.',
    );
  }
}

async function restoreDatabases(
  archive: Archive,
  { databases, progress }: RestoreOptions,
  dataDir: string,
): Promise<void> {
  const embedded = await startEmbeddedPostgres({ dataDir });
  try {
    for (const stored of archive.manifest.databases) {
      const declaration = databases.find(({ name }) => name === stored.name);
      if (!declaration) continue; // never happens: `refuseNewer` has refused such a backup
      await restoreDatabase(archive, stored, declaration, embedded.server);
      const rows = stored.tables.reduce((total, table) => total + table.rows, 0);
      progress(`  ${stored.name.padEnd(20)} ${rows} rows in ${stored.tables.length} tables`);
    }
  } finally {
    await embedded.stop(); // also writes everything to the disk
  }
}

async function restoreDatabase(
  archive: Archive,
  stored: DatabaseManifest,
  declaration: DatabaseDeclaration,
  server: DatabaseServer,
): Promise<void> {
  // Only the migrations that had run before the backup: at the next start the others change these rows, as at an upgrade.
  await migrateDatabaseTo(declaration, server, stored.migrations);
  const { client } = await openSession(server, stored.name);
  try {
    const { jobsVersion } = await versionsOf(client);
    if (jobsVersion < stored.jobsVersion)
      throw new StartError(
        `The jobs of ${stored.name} were written by a newer version of the platform. Restore the backup with that version.`,
      );
    await loadTables(client, stored, (table) => archive.part(tablePart(stored.name, table)));
    const present = await tablesOf(client);
    for (const table of stored.tables) {
      const found = present.find(({ schema, name }) => schema === table.schema && name === table.name);
      if (!found) throw new Error(`the table ${table.schema}.${table.name} is missing after it was loaded`);
      const copy = await measured(client, { ...found, columns: table.columns });
      requireSame(`${stored.name}: ${table.schema}.${table.name}`, table, copy);
    }
  } finally {
    await client.end();
  }
}

async function restoreFolder(
  archive: Archive,
  { name, files }: FolderManifest,
  folder: string,
): Promise<void> {
  for (const file of files) {
    const target = path.join(folder, file.path);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const measure = new Measure();
    const content = await archive.part(filePart(name, file.path));
    await pipeline(content, measure, createWriteStream(target, { mode: 0o600, flags: 'wx' }));
    requireSame(`${name}/${file.path}`, file, measure.result());
    const handle = await open(target, 'r');
    await handle.sync().finally(() => handle.close());
    const modifiedAt = new Date(file.modifiedAt);
    await utimes(target, modifiedAt, modifiedAt);
  }
}

function requireSame(what: string, wanted: { bytes: number; sha256: string }, found: Measured): void {
  if (wanted.sha256 !== found.sha256 || wanted.bytes !== found.bytes)
    throw new Error(`${what} differs from the backup after it was restored; nothing was put in place`);
}
