import { DAY_MILLIS } from '../durations.ts';
import type { Logger } from '../observability/logger.ts';
import type { FileRetentionRule } from '../retention/retention.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { FileStorage } from './file-storage.ts';

/** The age from which a file without a row is unused: its row is written within minutes. */
const KEPT_MILLIS = DAY_MILLIS;
const FILES_PER_RUN = 20_000; // about 3 s with a bucket
const FILES_PER_QUERY = 1_000;
const FILES_PER_DELETION = 100;
/** More unused files than this may be removed only if most files are used. */
const FEW = 100;
/** A run ends after this number of deletions that failed: the storage then probably does not answer. */
const MAX_FAILURES = 10;

/** Which of these keys the service's rows refer to. */
type UsedAmong = (unit: UnitOfWork, keys: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Removes files to which no row refers: of uploads that a crash interrupted, and those whose deletion failed after the row
 * had changed. A run checks 20,000 files of a bucket, and the next run continues there; of a folder it checks all files.
 *
 * No transaction is open while the storage lists and deletes files. No row begins to refer to a file that is a day old, but
 * an old key may be stored again; so the rows are read once more, immediately before each 100 files are deleted.
 */
export function unusedFiles(files: FileStorage, usedAmong: UsedAmong): FileRetentionRule {
  let position: string | undefined;
  return {
    what: 'unused_files',
    kept: { millis: KEPT_MILLIS },
    async removeFiles({ unitOf, signal }, before) {
      const { old, last } = await oldFiles(files, position, before);
      const unusedAmong = async (keys: readonly string[]): Promise<string[]> => {
        const used = await usedAmong(unitOf(), keys);
        return keys.filter((key) => !used.has(key));
      };
      const unused: string[] = [];
      for (const keys of inParts(old, FILES_PER_QUERY)) unused.push(...(await unusedAmong(keys)));
      if (unused.length > FEW && unused.length > old.length / 2)
        throw new Error(
          `${unused.length} of ${old.length} files are unused, so none was removed: the database and the file storage seem to belong to different installations`,
        );
      let removed = 0;
      const failures: unknown[] = [];
      for (const keys of inParts(unused, FILES_PER_DELETION)) {
        for (const key of await unusedAmong(keys)) {
          if (signal.aborted) return removed; // the next run lists the same files
          try {
            await files.delete(key);
            removed += 1;
          } catch (error) {
            failures.push(error);
          }
          if (failures.length === MAX_FAILURES) break;
        }
        if (failures.length === MAX_FAILURES) break;
      }
      position = last;
      if (failures.length > 0)
        throw new Error(
          `${removed} of ${unused.length} unused files were removed, and ${failures.length} could not be removed`,
          { cause: failures[0] },
        );
      return removed;
    },
  };
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Files that were stored before this time. The next run continues after the key `last`; undefined: at the first file. */
async function oldFiles(files: FileStorage, after: string | undefined, before: Date) {
  const old: string[] = [];
  let seen = 0;
  for await (const { key, storedAt } of files.files(after)) {
    if (storedAt < before) old.push(key);
    seen += 1;
    if (seen >= FILES_PER_RUN && files.isOrdered) return { old, last: key };
  }
  return { old, last: undefined };
}

/**
 * Deletes files to which nothing refers any more, after the change that removed the reference. A failure is only logged,
 * because the change has happened; `unusedFiles` removes the files later.
 */
export async function discard(files: FileStorage, keys: readonly string[], log: Logger): Promise<void> {
  try {
    for (const key of keys) await files.delete(key);
  } catch (error) {
    log.warn({ err: error }, 'a file that is no longer used could not be deleted; it is removed later');
  }
}
