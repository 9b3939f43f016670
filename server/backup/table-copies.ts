import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../start-error.ts';
import { Measure, type Measured } from './measure.ts';
import type { DatabaseManifest } from './manifest.ts';

/** A table as it is copied. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** Empty without a primary key. */
  readonly key: readonly string[];
}

type Sequence = DatabaseManifest['sequences'][number];

/** This table is not copied: the jobs' library itself writes the version of its schema to it. */
export const JOBS_VERSIONS = 'graphile_worker.migrations';

/**
 * The tables with the columns to copy. Generated columns are left out: they are computed again when a row is loaded. Columns of
 * type xid8 are left out: they contain numbers of this server's transactions, which mean nothing on another server. Their default
 * is the number of the transaction that loads the row.
 */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select n.nspname as schema, c.relname as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.atttypid <> 'xid8'::regtype
        order by a.attnum) as columns,
      array(select a.attname::text from pg_index i, unnest(i.indkey) with ordinality as k(number, position)
        join pg_attribute a on a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid order by k.position) as key
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
    order by n.nspname collate "C", c.relname collate "C"`);
  return rows.filter(({ schema, name }) => `${schema}.${name}` !== JOBS_VERSIONS);
}

export async function sequencesOf(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(`
    select schemaname as schema, sequencename as name, last_value::text as "lastValue" from pg_sequences
    order by schemaname collate "C", sequencename collate "C"`);
  return rows;
}

/** The names of the migrations that have run, and the version of the schema of the jobs' library. */
export async function versionsOf(
  client: pg.Client,
): Promise<Pick<DatabaseManifest, 'migrations' | 'jobsVersion'>> {
  const migrations = await client.query<{ name: string }>(
    'select name from mikro_orm_migrations order by id',
  );
  const jobs = await client.query<{ version: number }>(
    `select coalesce(max(id), 0)::int as version from ${JOBS_VERSIONS}`,
  );
  return {
    migrations: migrations.rows.map(({ name }) => name),
    jobsVersion: jobs.rows[0]?.version ?? 0,
  };
}

/** The rows of a table in the text format of COPY, in an order that does not depend on their storage: equal rows, equal bytes. */
export function rowsOf(client: pg.Client, table: Table): Readable {
  const order = table.key.length > 0 ? list(table.key) : `${pg.escapeIdentifier(table.name)}::text`;
  return client.query(
    copyTo(`copy (select ${list(table.columns)} from ${nameOf(table)} order by ${order}) to stdout`),
  );
}

/** SQLSTATEs of rows that do not fit: a wrong value, a violated constraint, an unknown table or column. */
const MISFIT = /^(22|23|42)/;

/** Replaces all rows of all tables by those of `rows`, in one transaction and without triggers and checks of references. */
export async function loadTables(
  client: pg.Client,
  { tables, sequences }: Pick<DatabaseManifest, 'tables' | 'sequences'>,
  rows: (table: DatabaseManifest['tables'][number]) => Promise<Readable>,
): Promise<void> {
  await client.query('begin');
  // The rows are those of a moment at which all references were valid, and their triggers have run already.
  await client.query('set local session_replication_role = replica');
  const present = await tablesOf(client);
  if (present.length > 0) await client.query(`truncate ${present.map(nameOf).join(', ')}`);
  for (const table of tables) {
    const target = client.query(copyFrom(`copy ${nameOf(table)} (${list(table.columns)}) from stdin`));
    await pipeline(await rows(table), target).catch((cause: Error) => {
      if (!(cause instanceof pg.DatabaseError && MISFIT.test(cause.code ?? ''))) throw cause;
      throw new StartError(
        `The rows of ${table.schema}.${table.name} do not fit the tables of this version (${cause.message}). ` +
          'Restore the backup with the version that wrote it, then upgrade.',
        { cause },
      );
    });
  }
  for (const { schema, name, lastValue } of sequences)
    if (lastValue !== null)
      await client.query('select setval($1::regclass, $2)', [nameOf({ schema, name }), lastValue]);
  await client.query('commit');
  await client.query('analyze');
}

/** What a copy of the table would contain now. */
export async function measured(client: pg.Client, table: Table): Promise<Measured> {
  const measure = new Measure();
  await pipeline(rowsOf(client, table), measure.resume());
  return measure.result();
}

const list = (columns: readonly string[]): string => columns.map(pg.escapeIdentifier).join(', ');

export const nameOf = ({ schema, name }: { schema: string; name: string }): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
