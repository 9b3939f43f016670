import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'nightly-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the nightly command of docs/backup.md keeps 14 backups, and removes old ones and incomplete ones', async () => {
  const text = await readFile(new URL('../../docs/backup.md', import.meta.url), 'utf8');
  const [nightly = ''] = /^ {4}0 3 .*$/m.exec(text) ?? [];
  const [, command = ''] = /^ {4}0 3 \* \* \* (.*)$/.exec(nightly) ?? [];
  const today = execFileSync('date', ['+%F'], { encoding: 'utf8' }).trim();
  const backups = path.join(folder, 'backups');
  await mkdir(backups);
  const daysAgo: Record<string, number> = {
    'fitness-2026-11-01.zip': 16,
    'fitness-2026-11-01.zip.1a2b3c4d.part': 16,
    'fitness-2026-11-14.zip.5e6f7a8b.part': 1,
    'fitness-2026-11-15.zip': 2,
    'fitness-2026-11-17.zip': 0,
    'fitness-2026-11-17.zip.9c0d1e2f.part': 0, // a backup that is being written
    'other.zip': 16,
  };
  for (const [name, days] of Object.entries(daysAgo)) {
    const at = Date.now() / 1000 - (days + 0.1) * 24 * 60 * 60; // seconds
    await writeFile(path.join(backups, name), '');
    await utimes(path.join(backups, name), at, at);
  }
  // In place of the backup, a file is written. The first `find` may fail, for example at a file that nobody can remove.
  const replaced = command
    .replace('cd /srv/fitness', 'true')
    .replace('npm start -- backup', 'touch')
    .replaceAll('\\%', '%')
    .replaceAll('/backups', backups)
    .replace(' -delete;', ' -delete; false;');
  execFileSync('sh', ['-c', replaced]);
  expect((await readdir(backups)).toSorted()).toEqual([
    'fitness-2026-11-15.zip',
    'fitness-2026-11-17.zip',
    'fitness-2026-11-17.zip.9c0d1e2f.part',
    `fitness-${today}.zip`,
    'other.zip',
  ]);
});
