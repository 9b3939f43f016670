import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The mails in the outbox of a data folder, the oldest first. A mail that is still being written has another ending: its file is
 * renamed when it is complete.
 */
export async function mailsIn(dataDir: string): Promise<string[]> {
  const folder = path.join(dataDir, 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  return Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
}
