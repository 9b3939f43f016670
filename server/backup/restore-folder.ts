import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { lockDataFolder } from '../embedded-postgres/data-folder-lock.ts';
import { StartError } from '../start-error.ts';
import { syncFolder } from './archive-writer.ts';

/** The folder in DATA_DIR in which a restore prepares the data; it exists as long as the restore has not finished. */
const UNFINISHED = 'restoring';
/** The beginning of the names of folders with what `--force` has replaced. */
const REPLACED = 'replaced-';

/** @throws StartError if a restore into this folder was interrupted, because its data are incomplete */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(path.join(dataDir, UNFINISHED)))
    throw new StartError(
      `A restore into the data folder ${dataDir} is running, or was interrupted, so its data are incomplete. ` +
        'If none is running, run "npm start -- restore FILE --force" again.',
    );
}

/**
 * Makes an empty folder in which a restore prepares the data of `dataDir`.
 * @param options.replaces moves what is in `dataDir` aside instead of refusing it
 * @throws StartError if `dataDir` is in use, or has data
 */
export async function beginRestore(
  dataDir: string,
  { replaces }: { replaces: boolean },
): Promise<{ folder: string; replaced: string | undefined }> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const folder = path.join(dataDir, UNFINISHED);
  for (const locked of ['postgres', 'squad', `${UNFINISHED}/postgres`])
    refuseFolderInUse(path.join(dataDir, locked));
  const names = await contentOf(dataDir);
  if (names.length > 0 && !replaces)
    throw new StartError(
      `The data folder ${dataDir} is not empty (${names.slice(0, 5).join(', ')}). Choose an empty one with DATA_DIR, ` +
        `or use --force, which moves what is there to a folder ${REPLACED}... in it.`,
    );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const replaced =
    names.length > 0
      ? path.join(dataDir, `${REPLACED}${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
      : undefined;
  if (replaced) {
    await mkdir(replaced, { mode: 0o700 });
    for (const name of names) await rename(path.join(dataDir, name), path.join(replaced, name));
  }
  return { folder, replaced };
}

/** Moves the prepared data to their places. The folder of `beginRestore` is removed last: while it exists, a start is refused. */
export async function finishRestore(dataDir: string, folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rename(path.join(folder, name), path.join(dataDir, name));
  await syncFolder(dataDir);
  await rm(folder, { recursive: true });
  await syncFolder(dataDir);
}

/** The names of what a platform may have stored there. */
async function contentOf(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir);
  return names.filter((name) => name !== UNFINISHED && name !== 'lost+found' && !name.startsWith(REPLACED));
}

/** @throws DataFolderInUseError */
function refuseFolderInUse(folder: string): void {
  if (existsSync(path.join(folder, 'lock'))) lockDataFolder(folder, '').release();
}
