import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { connectionTo } from './connection.ts';
import { withoutPooler, type DatabaseServer } from './database-server.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { PlatformClient } from './platform-client.ts';
import { StartError } from '../start-error.ts';

const WAIT_MILLIS = 60_000; // 60 s
const POLL_MILLIS = 1_000; // 1 s

/**
 * Waits until all migrations have run, for a start that may not run them itself (DATABASE_MIGRATIONS=off): the command
 * `migrate` may run at the same time. Migrations of a later release do no harm.
 * @throws StartError after 60 s
 */
export async function waitForMigrations(
  server: DatabaseServer,
  database: string,
  migrations: readonly MigrationDeclaration[],
  log: (message: string) => void,
): Promise<void> {
  const deadline = Date.now() + WAIT_MILLIS;
  for (let isFirst = true; ; isFirst = false) {
    const missing = await missingAmong(server, database, migrations);
    if (missing === undefined) return;
    if (Date.now() > deadline)
      throw new StartError(
        `The database "${database}" is not up to date (${missing}), and DATABASE_MIGRATIONS is off. ` +
          'Run "npm start -- migrate" of this release as the owner of the database, then start again.',
      );
    if (isFirst) log(`${database}: waiting for "npm start -- migrate" (${missing})`);
    await sleep(POLL_MILLIS);
  }
}

/** What is missing, for a message; undefined if nothing is. */
async function missingAmong(
  server: DatabaseServer,
  database: string,
  migrations: readonly MigrationDeclaration[],
): Promise<string | undefined> {
  const client: pg.Client = new PlatformClient({
    ...connectionTo(withoutPooler(server), database),
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {}); // a connection lost between two queries: the next query throws
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations');
    const done = new Set(rows.map(({ name }) => name));
    const missing = migrations.filter(({ name }) => !done.has(name));
    return missing.length === 0
      ? undefined
      : `${missing.length} migrations are missing, the first is ${missing[0]?.name}`;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code && NOT_YET.has(code)) return (error as Error).message;
    throw error;
  } finally {
    await client.end().catch(() => {}); // never connected, or dropped
  }
}

/** SQLSTATEs of a database that the command has not created or not finished yet. */
const NOT_YET: ReadonlySet<string> = new Set([
  '3D000', // no such database
  '42P01', // no such table
  '42501', // the role has no right yet
]);
