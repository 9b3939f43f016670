import pg from 'pg';
import { connectionTo } from './connection.ts';
import { withoutPooler, type DatabaseServer } from './database-server.ts';
import { PlatformClient } from './platform-client.ts';
import { setTimeLimits, TIME_LIMITS } from './time-limits.ts';
import { StartError } from '../start-error.ts';

/** The schemas of a service's tables. */
const SCHEMAS = ['public', 'graphile_worker'];

/**
 * Gives a role the rights that a running service needs: to read and write rows, but not to change tables, triggers or
 * functions, and not to read the databases of other services. The connected user must own the database.
 * @throws StartError if the role does not exist
 */
export async function grantUse(server: DatabaseServer, database: string, role: string): Promise<void> {
  const client: pg.Client = new PlatformClient(connectionTo(withoutPooler(server), database));
  await client.connect();
  try {
    const { rows } = await client.query<{ isOwner: boolean }>(
      `select pg_has_role(rolname, datdba, 'usage') as "isOwner" from pg_roles, pg_database
       where rolname = $1 and datname = current_database()`,
      [role],
    );
    const [found] = rows;
    if (!found)
      throw new StartError(
        `The role "${role}" does not exist. Create it: CREATE ROLE "${role}" LOGIN PASSWORD '...'`,
      );
    if (found.isOwner) return; // has all rights
    await client.query('begin');
    // Two commands at once would otherwise fail with "tuple concurrently updated".
    await client.query("select pg_advisory_xact_lock(hashtextextended('fitness-platform grants', 0))");
    for (const statement of grants(database, role, await canMaintain(client))) await client.query(statement);
    for (const table of await tablesWithRowSecurity(client))
      for (const statement of policies(table, role)) await client.query(statement);
    await client.query('commit');
    await setTimeLimits({ client, role, database, limits: TIME_LIMITS });
  } finally {
    await client.end();
  }
}

function grants(database: string, role: string, maintain: boolean): string[] {
  const to = pg.escapeIdentifier(role);
  const name = pg.escapeIdentifier(database);
  return [
    `revoke connect, temporary on database ${name} from public`,
    `grant connect on database ${name} to ${to}`,
    ...SCHEMAS.flatMap((schema) => [
      `grant usage on schema ${schema} to ${to}`,
      `grant select, insert, update, delete${maintain ? ', maintain' : ''} on all tables in schema ${schema} to ${to}`,
      `grant usage, select, update on all sequences in schema ${schema} to ${to}`,
      `grant execute on all functions in schema ${schema} to ${to}`,
    ]),
    // These tables record which migrations have run. The role may only read them.
    ...['public.mikro_orm_migrations', 'graphile_worker.migrations'].map(
      (table) => `revoke insert, update, delete on ${table} from ${to}`,
    ),
  ];
}

/** PostgreSQL 17 has added the right MAINTAIN, for ANALYZE after a large import; before, only the owner may do it. */
async function canMaintain(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  return (rows[0]?.version ?? 0) >= 170_000;
}

/** Graphile Worker enables row security for its tables without a policy, so that a role that is not their owner needs one. */
async function tablesWithRowSecurity(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relrowsecurity and n.nspname = any($1)`,
    [SCHEMAS],
  );
  return rows.map(({ name }) => name);
}

function policies(table: string, role: string): string[] {
  const name = pg.escapeIdentifier(`use by ${role}`.slice(0, 63));
  return [
    `drop policy if exists ${name} on ${table}`,
    `create policy ${name} on ${table} to ${pg.escapeIdentifier(role)} using (true) with check (true)`,
  ];
}
