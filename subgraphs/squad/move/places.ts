import type { MikroORM } from '@mikro-orm/postgresql';
import { clientFor, redisAccessOf, type RedisSettings } from '#server/redis/redis-client.ts';
import { StartError } from '#server/start-error.ts';
import { applied, emptyCopy } from '../storage/journal-copy.ts';
import { journalTables, START } from '../storage/journal-tables.ts';
import type { FileJournals } from '../storage/journal.file.ts';
import type { JournalPlace } from './move-journals.ts';

export const filePlace = (journals: FileJournals): JournalPlace => ({
  name: 'files',
  list: (kind) => journals.list(kind),
  async read(kind, id) {
    return (await journals.has(kind.name, id)) ? kind.compacted(await journals.of(kind).read(id)) : [];
  },
  async write(kind, id, records, changedAt) {
    await journals.of(kind).change(id, () => records);
    await journals.setChangedAt(kind.name, id, changedAt);
  },
  close: () => journals.close(),
});

/** The number of journals that one statement lists. */
const PAGE = 1_000;

export function databasePlace(orm: MikroORM): JournalPlace {
  const em = orm.em.fork({ useContext: false });
  return {
    name: 'the database',
    async *list(kind) {
      for (let after = ''; ;) {
        const rows = await em.execute<{ id: string; changed_at: Date | string }[]>(
          'select id, changed_at from journal where kind = ? and id > ? order by id limit ?',
          [kind, after, PAGE],
        );
        for (const row of rows) yield { id: row.id, changedAt: new Date(row.changed_at) };
        if (rows.length < PAGE) return;
        after = rows.at(-1)?.id ?? '';
      }
    },
    async read(kind, id) {
      return (await journalTables.read(em, kind.name, id, START)).records;
    },
    async write(kind, id, records, changedAt) {
      await em.transactional(async (tx) => {
        const { position, state } = emptyCopy(kind, id);
        const jobs = kind.jobsOf?.(state, applied(kind, state, records));
        const stored = await journalTables.append(tx, { kind: kind.name, id, position }, records, jobs);
        if (!stored)
          throw new Error(`Another process has written ${kind.name}/${id}; stop the service first.`);
        await tx.execute('update journal set changed_at = ? where kind = ? and id = ?', [
          changedAt,
          kind.name,
          id,
        ]);
      });
    },
    close: async () => undefined,
  };
}

/** The journals of the previous version, in Redis lists `squad:journal:{<kind>:<id>}`. No other code reads these lists. */
export async function redisPlace(settings: RedisSettings & { redisUrl: string }): Promise<JournalPlace> {
  const { target, tls } = redisAccessOf(settings);
  if (target.kind !== 'server')
    throw new StartError('REDIS_URL: name the server with the journals, redis://user:password@host:6379.');
  const client = clientFor(target.address, { tls, ...target });
  client.on('error', () => undefined); // without a listener the process would end; the commands fail with the error
  await client.connect();
  const keyOf = (kind: string, id: string): string => `squad:journal:{${kind}:${id}}`;
  return {
    name: 'Redis',
    async *list(kind) {
      const prefix = `squad:journal:{${kind}:`;
      for await (const keys of client.scanIterator({ MATCH: `${prefix}*}`, TYPE: 'list', COUNT: 1_000 }))
        // Redis has not stored the times of changes, so all journals count as changed now.
        for (const key of keys) yield { id: key.slice(prefix.length, -1), changedAt: new Date() };
    },
    async read(kind, id) {
      return (await client.lRange(keyOf(kind.name, id), 0, -1)).map((text) => JSON.parse(text) as object);
    },
    async close() {
      client.destroy();
    },
  };
}
