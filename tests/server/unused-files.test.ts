import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { diskStorage } from '#server/files/file-storage.disk.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { filesPlaceOf } from '#server/files/files-url.ts';
import { openFileStorage } from '#server/files/open-file-storage.ts';
import { unusedFiles } from '#server/files/unused-files.ts';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { removeExpiredExports } from '../../subgraphs/identity/accounts/exports.ts';
import { sectionKey } from '../../subgraphs/identity/accounts/export-sections.ts';
import { database } from '../../subgraphs/identity/database.ts';
import { cloneDatabase } from '../support/database.ts';
import { startedRetention } from '../support/retention.ts';
import { startS3, type OwnS3 } from '../support/s3.ts';
import { DatabaseSagaStore } from '#server/saga/saga-store.database.ts';

const log = createLogger('files', 'silent');
const IDLE_LIMIT_MILLIS = 300;
let folder: string;
let s3: OwnS3;
let orm: MikroORM;
beforeAll(async () => {
  [folder, s3] = await Promise.all([mkdtemp(path.join(os.tmpdir(), 'files-test-')), startS3()]);
  const { server, name } = await cloneDatabase(database);
  orm = await openDatabase(database, {
    server,
    name,
    migrate: false,
    timeLimits: { idle_in_transaction_session_timeout: IDLE_LIMIT_MILLIS },
  });
});
afterAll(async () => {
  await orm.close(true);
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const inFolder = (): FileStorage => diskStorage(path.join(folder, uuidv7()));
const unitOf = (): UnitOfWork => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN);
const run = { unitOf, signal: new AbortController().signal };
const IN_A_MINUTE = () => new Date(Date.now() + 60_000);

async function keysOf(storage: FileStorage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.files()) keys.push(key);
  return keys.toSorted();
}

/** A storage whose calls take longer than a transaction of this test may be idle; its files are two days old. */
const slow = (storage: FileStorage): FileStorage => ({
  ...storage,
  async *files() {
    await sleep(2 * IDLE_LIMIT_MILLIS);
    for await (const { key } of storage.files())
      yield { key, storedAt: new Date(Date.now() - 2 * DAY_MILLIS) };
  },
  async delete(key) {
    await sleep(2 * IDLE_LIMIT_MILLIS);
    await storage.delete(key);
  },
});

describe.each(['folder', 'bucket'] as const)('files in a %s', (kind) => {
  it('are removed if nothing refers to them and they were stored before the given time', async () => {
    const storage =
      kind === 'folder'
        ? inFolder()
        : await openFileStorage({ filesUrl: filesPlaceOf(s3.filesUrl), dataDir: '' }, 'unused', log);
    for (const key of ['used', 'unused', 'folder/unused'])
      await storage.put(key, Buffer.from('x'), 'text/plain');
    const rule = unusedFiles(storage, async (_unit, keys) => new Set(keys.filter((key) => key === 'used')));
    expect(await rule.removeFiles(run, new Date(Date.now() - 60_000))).toBe(0);
    expect(await rule.removeFiles(run, IN_A_MINUTE())).toBe(2);
    expect(await keysOf(storage)).toEqual(['used']);
    storage.close();
  });
});

it('unused files of a folder are removed although it contains files that the platform has not stored', async () => {
  const ownFolder = await mkdtemp(path.join(os.tmpdir(), 'files-'));
  const storage = diskStorage(ownFolder);
  await storage.put('unused', Buffer.from('x'), 'text/plain');
  await storage.put('zz-unused', Buffer.from('x'), 'text/plain');
  for (const name of ['.DS_Store', 'a b.webp', 'x~']) await writeFile(path.join(ownFolder, name), 'x');
  const rule = unusedFiles(storage, async () => new Set<string>());
  expect(await rule.removeFiles(run, IN_A_MINUTE())).toBe(2);
  expect((await readdir(ownFolder)).toSorted()).toEqual(['.DS_Store', 'a b.webp', 'x~']);
  await rm(ownFolder, { recursive: true });
});

it('files are not removed if most of many are unused: the database may be that of another installation', async () => {
  const storage = inFolder();
  await Promise.all(
    Array.from({ length: 101 }, (_, n) => storage.put(`n${n}`, Buffer.from('x'), 'text/plain')),
  );
  const rule = unusedFiles(storage, async () => new Set<string>());
  await expect(rule.removeFiles(run, IN_A_MINUTE())).rejects.toThrow('different installations');
  expect(await keysOf(storage)).toHaveLength(101);
});

it('a file that a row begins to use while other files are checked is not removed', async () => {
  const storage = inFolder();
  for (const key of ['used-again', 'unused']) await storage.put(key, Buffer.from('x'), 'text/plain');
  let checks = 0;
  const rule = unusedFiles(storage, async () => new Set(checks++ === 0 ? [] : ['used-again']));
  expect(await rule.removeFiles(run, IN_A_MINUTE())).toBe(1);
  expect(await keysOf(storage)).toEqual(['used-again']);
});

it('a run ends after ten deletions that failed, so that it does not wait for each file of a storage without an answer', async () => {
  const storage = inFolder();
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => storage.put(`n${n}`, Buffer.from('x'), 'text/plain')),
  );
  let deletions = 0;
  const failing: FileStorage = {
    ...storage,
    async delete() {
      deletions += 1;
      throw new Error('no answer');
    },
  };
  const rule = unusedFiles(failing, async () => new Set<string>());
  await expect(rule.removeFiles(run, IN_A_MINUTE())).rejects.toThrow('10 could not be removed');
  expect(deletions).toBe(10);
});

it('unused files are removed although the storage is slower than an idle transaction may be', async () => {
  const storage = inFolder();
  for (const key of ['used', 'unused']) await storage.put(key, Buffer.from('x'), 'text/plain');
  const rule = unusedFiles(slow(storage), async (unit, keys) => {
    const used = await unit.read<{ key: string }>('select unnest(?::text[]) as key', [['used']]);
    return new Set(used.map(({ key }) => key).filter((key) => keys.includes(key)));
  });
  await startedRetention(orm, [rule]).retention.run();
  expect(await keysOf(storage)).toEqual(['used']);
});

it('an expired export is removed although the storage is slower than an idle transaction may be', async () => {
  const storage = inFolder();
  const [userId, exportId] = [uuidv7(), uuidv7()];
  const execute = (sql: string, values: unknown[]) => orm.em.fork().execute<unknown[]>(sql, values);
  await execute(
    `insert into user_account (id, email, display_name, role, qr_code, created_at, updated_at) values (?, 'a@x.test', 'A', 'MEMBER', 'FIT-a', now(), now())`,
    [userId],
  );
  await execute(
    `insert into account_export (id, user_id, requested_at, expires_at) values (?, ?, now(), now() - interval '1 hour')`,
    [exportId, userId],
  );
  await storage.put(sectionKey(exportId, 'gym'), Buffer.from('{}'), 'application/json');
  const sagaStore = new DatabaseSagaStore(() => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN));
  const rule = {
    what: 'account_exports',
    kept: { millis: 0 },
    run: (unit: UnitOfWork) => removeExpiredExports(unit, { files: slow(storage), sagaStore }),
  };
  await startedRetention(orm, [rule]).retention.run();
  expect(await execute('select 1 from account_export', [])).toEqual([]);
  expect(await keysOf(storage)).toEqual([]);
});
