import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { recordFile } from './record-file.ts';
import { namesIn } from './read-failures.ts';

/** How the name of a copy continues after the name of its file; the time of the copy follows, in milliseconds since 1970. */
const MARK = '.damaged-';

/** The days for which a copy is kept if its kind of journal is kept for ever. */
export const KEEPS_COPIES_DAYS = 90;

/**
 * Copies of files with damaged lines, `<file>.damaged-<time>`, from which an operator may restore what the service cannot read.
 * They contain personal data, so they are removed after some time, and by every erasure in their journal.
 */
export const damagedCopies = {
  /** Returns the name of the copy. */
  async make(file: string): Promise<string> {
    const copy = `${file}${MARK}${Date.now()}`;
    await copyFile(file, copy);
    return copy;
  },

  isCopy: (name: string): boolean => path.basename(name).includes(MARK),

  async removeAll(file: string): Promise<void> {
    const folder = path.dirname(file);
    for (const name of await namesIn(folder))
      if (name.startsWith(`${path.basename(file)}${MARK}`)) await recordFile.remove(path.join(folder, name));
  },
};
