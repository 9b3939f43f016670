import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { openDatabase } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { database } from '../../../subgraphs/squad/database.ts';
import { DatabaseJournals } from '../../../subgraphs/squad/storage/journal.database.ts';
import { FileJournals } from '../../../subgraphs/squad/storage/journal.file.ts';
import type { JournalChanges } from '../../../subgraphs/squad/storage/journal-changes.ts';
import { redisJournalChanges } from '../../../subgraphs/squad/storage/journal-changes.redis.ts';
import type { Journals } from '../../../subgraphs/squad/storage/journal.ts';
import { RedisConnections } from '../../../subgraphs/squad/storage/redis-connections.ts';
import { cloneDatabase, type ClonedDatabase } from '../../support/database.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';

export const log = createLogger('squad', 'silent');

/** A storage with its instances, which the tests of a `describe` share. */
export interface Store {
  /** All instances of a running service. */
  instances: readonly Journals[];
  /** Another instance, which has read nothing yet. With files it replaces the first one: only one may use them. */
  fresh(): Promise<Journals>;
  /** All stored records of this journal, and its snapshot, as text. */
  stored(kind: string, id: string): Promise<string>;
  close(): Promise<void>;
}

export async function fileStore(): Promise<Store> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-journals-'));
  let journals = new FileJournals({ folder, log });
  return {
    get instances() {
      return [journals];
    },
    async fresh() {
      await journals.close();
      return (journals = new FileJournals({ folder, log }));
    },
    async stored(kind, id) {
      const names = await readdir(folder, { recursive: true });
      const name = names.find((one) => one.includes(kind) && one.endsWith(`${id}.jsonl`));
      return name ? readFile(path.join(folder, name), 'utf8') : '';
    },
    async close() {
      await journals.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface DatabaseStore extends Store {
  clone: ClonedDatabase;
  orms: readonly MikroORM[];
  instances: readonly DatabaseJournals[];
}

/** @param changes one for each instance; undefined for an instance that gets no reports of changes */
export async function databaseStore(
  changes: readonly (JournalChanges | undefined)[],
  { checkMillis }: { checkMillis?: number } = {},
): Promise<DatabaseStore> {
  const clone = await cloneDatabase(database);
  const orms: MikroORM[] = [];
  const all: DatabaseJournals[] = [];
  const open = (orm: MikroORM, one?: JournalChanges): DatabaseJournals => {
    const journals = new DatabaseJournals({ orm, log, changes: one, ...(checkMillis && { checkMillis }) });
    all.push(journals);
    return journals;
  };
  const instances: DatabaseJournals[] = [];
  for (const one of changes) {
    const orm = await openDatabase(database, { ...clone, poolMax: 5 });
    orms.push(orm);
    instances.push(open(orm, one));
  }
  return {
    clone,
    orms,
    instances,
    fresh: async () => open(orms[0] as MikroORM),
    async stored(kind, id) {
      const rows = await orms[0]!.em.fork().execute<{ text: string }[]>(
        `select record::text as text from journal_record where kind = ? and id = ?
         union all select records::text from journal_snapshot where kind = ? and id = ?`,
        [kind, id, kind, id],
      );
      return rows.map(({ text }) => text).join('\n');
    },
    async close() {
      await Promise.all(all.map((journals) => journals.close()));
      await Promise.all(orms.map((orm) => orm.close(true)));
      await clone.drop();
    },
  };
}

async function redisStore(): Promise<Store> {
  const redis = await startRedis();
  const connections = await Promise.all(
    [1, 2].map(() => RedisConnections.open({ redisUrl: redis.url }, log)),
  );
  const store = await databaseStore(connections.map((one) => redisJournalChanges(one)));
  return {
    ...store,
    async close() {
      await store.close();
      for (const connection of connections) connection.close();
      await redis.stop();
    },
  };
}

/** The implementations of `Journals`; in PostgreSQL with one instance, or two with or without reports of changes. */
export const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ['files', fileStore],
  ['PostgreSQL', () => databaseStore([undefined])],
  [
    'PostgreSQL and two instances without reports of changes',
    () => databaseStore([undefined, undefined], { checkMillis: 20 }),
  ],
  ...(hasRedis ? ([['PostgreSQL, two instances and Redis', redisStore]] as const) : []),
];
