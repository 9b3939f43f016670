import pg from 'pg';
import { connectionTo } from '../database/connection.ts';
import type { DatabaseServer } from '../database/database-server.ts';
import { PlatformClient } from '../database/platform-client.ts';
import { TIME_LIMITS } from '../database/time-limits.ts';
import { StartError } from '../start-error.ts';

/** A connection for copying a database. */
export interface DatabaseSession {
  readonly name: string;
  readonly client: pg.Client;
}

/** Settings that the text format of COPY depends on, so that every server writes the same bytes. */
const TEXT_FORMAT = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  xmloption: 'content',
};

/** Connects without the time limits of requests, because a large table takes longer. */
export async function openSession(server: DatabaseServer, name: string): Promise<DatabaseSession> {
  const client: pg.Client = new PlatformClient({
    ...connectionTo(server, name),
    application_name: `${name} backup`,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {}); // a connection lost between two queries: the next query throws
  await client.connect();
  const limits = Object.keys(TIME_LIMITS).map((limit) => [limit, '0']);
  for (const [setting, value] of [...limits, ...Object.entries(TEXT_FORMAT)])
    await client.query(`set ${setting} = ${pg.escapeLiteral(value ?? '')}`);
  return { name, client };
}

/** Which of these databases the server has, and the server's major version. */
export async function existingDatabases(
  server: DatabaseServer,
  names: readonly string[],
): Promise<{ existing: string[]; majorVersion: number }> {
  const { client } = await openSession(server, 'postgres');
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datname = any($1)',
      [names],
    );
    const version = await client.query<{ number: number }>(
      "select current_setting('server_version_num')::int / 10000 as number",
    );
    return { existing: rows.map(({ datname }) => datname), majorVersion: version.rows[0]?.number ?? 0 };
  } finally {
    await client.end();
  }
}

const PAUSE_AFTER_TRIES = 50;

/**
 * Begins a transaction in each session such that all of them see the data of one moment. PostgreSQL cannot share a snapshot
 * between databases, but its transaction numbers are those of the whole server, and a snapshot names all that are running.
 * So equal snapshots of different databases see exactly the same transactions. Under load the snapshots are taken again until
 * they are equal.
 * @param deadline in milliseconds since 1970
 * @throws StartError if the deadline has passed
 */
export async function beginAtOneMoment(
  sessions: readonly DatabaseSession[],
  deadline: number,
): Promise<{ tries: number }> {
  for (let tries = 1; ; tries += 1) {
    // BEGIN takes no snapshot; the first query does. So the snapshots are taken within a fraction of a millisecond.
    await Promise.all(
      sessions.map(({ client }) => client.query('begin isolation level repeatable read, read only')),
    );
    const snapshots = await Promise.all(
      sessions.map(async ({ client }) => {
        const { rows } = await client.query<{ snapshot: string }>(
          'select pg_current_snapshot()::text as snapshot',
        );
        return rows[0]?.snapshot;
      }),
    );
    if (new Set(snapshots).size === 1) return { tries };
    await Promise.all(sessions.map(({ client }) => client.query('rollback')));
    if (Date.now() > deadline) throw new NoCommonMomentError(tries);
    if (tries % PAUSE_AFTER_TRIES === 0) await new Promise(setImmediate);
  }
}

export class NoCommonMomentError extends StartError {
  constructor(tries: number) {
    super(
      `The databases are written so often that ${tries} tries found no common moment. No file was written. ` +
        'Repeat the command at a quieter hour, or stop the platform first.',
    );
  }
}
