import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { restoreBackup } from '#server/backup/restore-backup.ts';
import type { StagedFolder } from '#server/backup/staged-folders.ts';
import { writeBackup } from '#server/backup/write-backup.ts';
import type { DatabaseDeclaration } from '#server/database/database.ts';
import type { Command } from '#server/run-command.ts';
import { readSettings, serverSettings, withDemoDefaults, type Environment } from '#server/settings.ts';
import { StartError } from '#server/start-error.ts';
import { subgraphs } from './index.ts';

const BACKUP_USAGE = `npm start -- backup FILE
Writes a backup of DATA_DIR (the embedded database, uploaded files, squad's journals, keys) to FILE, which must not exist.
The platform may run.`;

const RESTORE_USAGE = `npm start -- restore FILE [--force]
Restores a backup into DATA_DIR, which must be empty; with --force, what is there is moved aside. The platform must not run.`;

/** What DATA_DIR has besides the database. */
const FOLDERS: readonly StagedFolder[] = [
  { name: 'files', kind: 'whole' },
  { name: 'outbox', kind: 'whole' },
  { name: 'secrets', kind: 'changing' },
  { name: 'squad', kind: 'changing' },
];

export const runBackup: Command = async (args, env, print) => {
  const startedAt = performance.now();
  const file = fileOf(args, BACKUP_USAGE);
  const { dataDir, filesUrl } = settingsOf('backup', env);
  await writeBackup({
    dataDir,
    file,
    databases: databases().map(({ name }) => name),
    folders: FOLDERS,
    platform: await version(),
    missing: filesUrl ? [`uploaded files (${env.FILES_URL?.split('?')[0]})`] : [],
    progress: print,
  });
  if (filesUrl) print('Uploaded files are not in it, because FILES_URL is set; see docs/backup.md.');
  print(`Done after ${secondsSince(startedAt)} s. Keep it secret: it has keys and the hashes of passwords.`);
  return 0;
};

export const runRestore: Command = async (args, env, print) => {
  const startedAt = performance.now();
  const replaces = args.includes('--force');
  const file = fileOf(
    args.filter((arg) => arg !== '--force'),
    RESTORE_USAGE,
  );
  const { dataDir } = settingsOf('restore', env);
  const { missing } = await restoreBackup({
    dataDir,
    file,
    replaces,
    databases: databases(),
    progress: print,
  });
  for (const what of missing) print(`Not in the backup: ${what}; see docs/backup.md.`);
  print(
    `Done after ${secondsSince(startedAt)} s, and compared with the backup. "npm start" starts the platform.`,
  );
  return 0;
};

function settingsOf(command: string, env: Environment) {
  const { databaseUrl, dataDir, filesUrl } = readSettings(serverSettings, withDemoDefaults(env));
  if (databaseUrl)
    throw new StartError(
      `DATABASE_URL is set. "npm start -- ${command}" is for the embedded database; ` +
        'docs/backup.md says how to back up and restore a PostgreSQL server of your own.',
    );
  return { dataDir: path.resolve(dataDir), filesUrl };
}

function fileOf(args: readonly string[], usage: string): string {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-') || rest.length > 0) throw new StartError(usage);
  return path.resolve(file);
}

const databases = (): DatabaseDeclaration[] =>
  subgraphs.flatMap(({ database }) => (database ? [database] : []));

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1);
