import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionTo } from '../../server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '../../server/database/database.ts';
import { withoutPooler, type DatabaseServer } from '../../server/database/database-server.ts';
import { ensureDatabase } from '../../server/database/ensure-database.ts';
import { testRun } from './test-run.ts';

export interface ClonedDatabase {
  server: DatabaseServer;
  name: string;
  /** False if the run's pooler cannot keep prepared statements. */
  preparesStatements?: boolean;
  /** Drops the database and closes its connections. The embedded server needs no such call: it is removed after the run. */
  drop(): Promise<void>;
}

/**
 * Creates a migrated, empty database for one test file. The first worker of a run that uses a declaration migrates a
 * template for it. A clone is a copy of the template's files, which takes some 50 ms.
 */
export async function cloneDatabase(declaration: DatabaseDeclaration): Promise<ClonedDatabase> {
  const { server } = testRun.current();
  const template = await ensureTemplate(declaration, server);
  const name = `${testRun.current().runId}_${randomBytes(5).toString('hex')}`;
  await administer(server, async (client) => {
    // The template is copied as files, so it must have no connections, and two copies at once would disturb each other.
    await client.query('select pg_advisory_lock(hashtext($1))', [template]);
    // The strategy is file_copy, which is three times as fast as the default wal_log: the copy need not survive a crash.
    await client.query(`create database ${name} template ${template} strategy = file_copy`);
    await useTimeZone(client, name); // settings of a database are not copied with it
  });
  return {
    server,
    name,
    preparesStatements: !process.env.TEST_DATABASE_POOLER,
    drop: () =>
      administer(
        server,
        async (client) => void (await client.query(`drop database if exists ${name} with (force)`)),
      ),
  };
}

/** Removes the databases of this run from a server that outlives it. */
export async function dropTemplates(): Promise<void> {
  const { server, runId } = testRun.current();
  await administer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [`${runId}_`],
    );
    for (const { datname } of rows) {
      await client.query(`alter database ${datname} with is_template false`);
      await client.query(`drop database if exists ${datname} with (force)`);
    }
  });
}

async function ensureTemplate(declaration: DatabaseDeclaration, server: DatabaseServer): Promise<string> {
  // The key includes the migrations: test files may declare different ones under the same name.
  const content = createHash('sha256')
    .update(declaration.migrations.map(({ name }) => name).join())
    .digest('hex');
  const template = `${testRun.current().runId}_template_${declaration.name}_${content.slice(0, 8)}`;
  await administer(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template]);
    const { rowCount } = await client.query(
      'select 1 from pg_database where datname = $1 and datistemplate',
      [template],
    );
    if (rowCount) return;
    await ensureDatabase(server, template);
    await useTimeZone(client, template);
    // A pooler would keep connections to the template, which then could not be copied.
    const orm = await openDatabase(declaration, { server: withoutPooler(server), name: template });
    await orm.close(true);
    // The flag is set last: it marks the template as complete, and prevents tests from dropping it.
    await client.query(`alter database ${template} with is_template true`);
  });
  return template;
}

/**
 * Makes `TEST_DATABASE_TIMEZONE` (such as `Asia/Kolkata`) the default time zone of the database, if it is set. The tests
 * must have the same results in every time zone.
 */
async function useTimeZone(client: pg.Client, database: string): Promise<void> {
  const zone = process.env.TEST_DATABASE_TIMEZONE;
  if (zone) await client.query(`alter database ${database} set timezone to ${pg.escapeLiteral(zone)}`);
}

/** Uses a connection to the server's maintenance database; its locks are released afterwards. */
async function administer(server: DatabaseServer, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const direct = withoutPooler(server);
  const client = new pg.Client(
    'url' in direct ? { connectionString: direct.url } : connectionTo(direct, 'postgres'),
  );
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
