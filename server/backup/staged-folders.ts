import { constants, existsSync, statSync, type BigIntStats } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** A folder below DATA_DIR, of which a backup has the state of one moment. */
export interface StagedFolder {
  readonly name: string;
  /**
   * `whole`: a file is written once under its name, or replaced by a rename; its copy is a second name (a hard link).
   * `changing`: bytes of a file change in place, so its bytes are copied.
   */
  readonly kind: 'whole' | 'changing';
}

interface StagedFile {
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNanos: bigint;
  /** Whether every later change is certain to get another modification time. */
  readonly isSettled: boolean;
}

/**
 * A file that was changed less than this before it was copied may change again within the same tick of the file system's
 * clock, and then keeps its modification time.
 */
const SETTLED_NANOS = 2_000_000_000n; // 2 s

/** False for locks, and for files whose write has not finished. */
const isData = (name: string): boolean => !/^lock(-holder\.json)?$|\.(part|new)$/.test(name);

/**
 * Copies of folders. `update` makes them equal to the folders and copies only what has changed since its last call; so a first
 * call does most of the work, and a second one during a pause of the writes is short. Files of kind `whole` are compared, too,
 * because a repeated step of an export replaces its file. The comparison is synchronous, because this process has nothing else
 * to do: it takes 0.4 s for 50,000 unchanged files. Asynchronous calls, each a task of the thread pool, would take 4 s.
 */
export class StagedFolders {
  private readonly from: string;
  private readonly to: string;
  private readonly folders: readonly StagedFolder[];
  private readonly copied = new Map<string, StagedFile>();

  constructor(from: string, to: string, folders: readonly StagedFolder[]) {
    this.from = from;
    this.to = to;
    this.folders = folders;
  }

  async update(): Promise<void> {
    const present = new Set<string>();
    for (const folder of this.folders)
      for (const name of await filesBelow(path.join(this.from, folder.name))) {
        const file = path.join(folder.name, name);
        if (await this.copy(file, folder.kind)) present.add(file);
      }
    for (const file of this.copied.keys()) {
      if (present.has(file)) continue;
      await rm(path.join(this.to, file), { force: true });
      this.copied.delete(file);
    }
  }

  /** The copied files of a folder, relative to it. */
  filesOf({ name }: StagedFolder): string[] {
    const prefix = `${name}${path.sep}`;
    return [...this.copied.keys()]
      .filter((file) => file.startsWith(prefix))
      .map((file) => file.slice(prefix.length).replaceAll(path.sep, '/'))
      .toSorted();
  }

  pathOf({ name }: StagedFolder, file: string): string {
    return path.join(this.to, name, file);
  }

  /** When the original was changed, rounded: `utimes` sets the time of a restored file with an error of some nanoseconds. */
  modifiedAt({ name }: StagedFolder, file: string): Date {
    const nanos = this.copied.get(path.join(name, file))?.modifiedNanos ?? 0n;
    return new Date(Math.round(Number(nanos) / 1e6));
  }

  /** False if the file does not exist any more. */
  private async copy(file: string, kind: StagedFolder['kind']): Promise<boolean> {
    const source = path.join(this.from, file);
    const stats = statSync(source, { bigint: true, throwIfNoEntry: false });
    if (!stats) return false;
    const before = this.copied.get(file);
    if (before && isSame(before, stats)) return true;
    const target = path.join(this.to, file);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rm(target, { force: true });
    const done = await (kind === 'whole' ? linkOrCopy(source, target) : copyFile(source, target)).then(
      () => true,
      unlessAbsent,
    );
    if (!done) return false;
    this.copied.set(file, describe(stats));
    return true;
  }
}

const describe = ({ ino, size, mtimeNs }: BigIntStats): StagedFile => ({
  inode: ino,
  size,
  modifiedNanos: mtimeNs,
  isSettled: BigInt(Date.now()) * 1_000_000n - mtimeNs > SETTLED_NANOS,
});

const isSame = (before: StagedFile, { ino, size, mtimeNs }: BigIntStats): boolean =>
  before.isSettled && before.inode === ino && before.size === size && before.modifiedNanos === mtimeNs;

/** Copies the file if the file system has no hard links, or this process may not make one. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isData(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
