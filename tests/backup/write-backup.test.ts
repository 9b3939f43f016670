import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSession } from '#server/backup/database-session.ts';
import { loadTables } from '#server/backup/table-copies.ts';
import { writeBackup } from '#server/backup/write-backup.ts';
import { allowPauses, pausableWrite } from '#server/backup/write-pause.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { startProcess } from '../support/process.ts';
import { environmentOf } from './installation.ts';

let folder: string;
let dataDir: string;
let postgres: EmbeddedPostgres;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'platform-write-backup-'));
  dataDir = path.join(folder, 'data');
  postgres = await startEmbeddedPostgres({ dataDir: path.join(dataDir, 'postgres'), durable: false });
  const { client } = await openSession(postgres.server, 'postgres');
  await client.query(`create schema graphile_worker; create table graphile_worker.migrations (id int primary key);
    create table mikro_orm_migrations (id int primary key, name text)`);
  await client.end();
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const backup = (name: string, progress: (line: string) => void = () => undefined) =>
  writeBackup({
    dataDir,
    file: path.join(folder, name),
    databases: ['postgres'],
    folders: [{ name: 'squad', kind: 'changing' }],
    platform: '1.0.0',
    missing: [],
    progress,
  });

describe('rows that cannot be loaded', () => {
  const load = async (content: Readable) => {
    const { client } = await openSession(postgres.server, 'postgres');
    const table = { schema: 'public', name: 'mikro_orm_migrations', columns: ['id', 'name'], rows: 1 };
    const tables = [{ ...table, bytes: 0, sha256: '' }];
    await loadTables(client, { tables, sequences: [] }, async () => content).finally(() => client.end());
  };

  it('are reported as those of another version if PostgreSQL refuses them', async () => {
    await expect(load(Readable.from(['one\ta\n']))).rejects.toThrow(/do not fit the tables of this version/);
  });

  it('are reported with the error of the file if it cannot be read', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('the disk has a defect')) });
    await expect(load(broken)).rejects.toThrow(/^the disk has a defect$/);
  });
});

describe('a backup of a running platform', () => {
  it('tries again if the writes could not be paused for long enough', async () => {
    const pauses = await allowPauses(postgres.socketDir);
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const hanging = pausableWrite(() => mayEnd);
    const lines: string[] = [];
    await backup('repeated.zip', (line) => {
      lines.push(line);
      if (line.includes('trying again')) end();
    });
    await hanging;
    expect(lines.slice(0, 2)).toEqual([
      expect.stringContaining('trying again'),
      expect.stringContaining('The backup has the data of'),
    ]);
    await pauses.close();
  });

  it('is refused while squad runs alone on the folder, because nothing pauses its journals', async () => {
    const squad = startProcess(['squad'], environmentOf(dataDir));
    await squad.printed(/ready/);
    try {
      const pauses = await allowPauses(postgres.socketDir);
      await expect(backup('running.zip')).rejects.toThrow(/squad is in use by process \d+/);
      await pauses.close();
      await postgres.stop();
      await expect(backup('stopped.zip')).rejects.toThrow(/squad is in use by process \d+/);
    } finally {
      await squad.end();
    }
    await expect(backup('alone.zip')).resolves.toMatchObject({ folders: [{ name: 'squad' }] });
  });
});
