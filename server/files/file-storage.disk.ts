import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pausableWrite } from '../backup/write-pause.ts';
import { storageUnavailable, type FileContent, type FileStorage, type StoredFile } from './file-storage.ts';
import { isKey } from './files-url.ts';

/**
 * Files in a folder. A file is written under another name, synced and renamed, so that it is durable and complete, also
 * after a power failure. Flydrive is not used, because its driver for disks writes in place and does not sync.
 */
export function diskStorage(folder: string): FileStorage {
  const root = path.resolve(folder);
  const at = (key: string): string => {
    if (!isKey(key)) throw new Error(`not a key of a file: ${key}`);
    return path.join(root, key);
  };
  return {
    put: (key, bytes) => withPlatformErrors(() => write(at(key), bytes)),
    putStream: (key, stream) => withPlatformErrors(() => write(at(key), stream)),
    read: (key) => withPlatformErrors(() => read(at(key))),
    delete: (key) => withPlatformErrors(() => pausableWrite(() => rm(at(key), { force: true }))),
    files: () => filesIn(root),
    isOrdered: false,
    close: () => undefined,
  };
}

async function write(file: string, content: Buffer | Readable): Promise<void> {
  const folder = path.dirname(file);
  const firstNew = await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined); // the first error counts
    throw error;
  }
  await syncFolders(folder, firstNew === undefined ? folder : path.dirname(firstNew));
}

/** The name of a new file or folder is durable only after the folder that contains it was synced. */
async function syncFolders(deepest: string, highest: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  for (let folder = deepest; ; folder = path.dirname(folder)) {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (folder === highest) return;
  }
}

/** The file is open when its length is returned, so a deletion in the meantime does not break the answer. */
async function read(file: string): Promise<FileContent | undefined> {
  const handle = await open(file, constants.O_RDONLY).catch(unlessAbsent);
  if (!handle) return undefined;
  const { size, mtimeMs } = await handle.stat().catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  return {
    stream: handle.createReadStream(),
    length: size,
    etag: `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`,
  };
}

async function* filesIn(root: string): AsyncGenerator<StoredFile> {
  const entries = await opendir(root, { recursive: true }).catch(unlessAbsent);
  if (!entries) return;
  for await (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const key = path.relative(root, file).replaceAll(path.sep, '/');
    if (!isKey(key)) continue; // not stored by this platform, for example a file of a file system or a desktop
    const stats = await stat(file).catch(unlessAbsent);
    if (stats) yield { key, storedAt: stats.mtime };
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Errors of a volume that cannot be used now, such as a network volume whose server does not answer. */
const OUT_OF_REACH: ReadonlySet<unknown> = new Set([
  'EIO',
  'ESTALE',
  'EROFS',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'ENOTCONN',
  'ENXIO',
]);

/** Translates the errors of a volume that cannot be used now. `refusalOfDatabase` translates a full disk. */
async function withPlatformErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!OUT_OF_REACH.has((error as NodeJS.ErrnoException).code)) throw error;
    throw storageUnavailable(error);
  }
}
