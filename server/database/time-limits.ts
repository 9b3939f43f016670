import pg from 'pg';

/**
 * How long a statement, its wait for a lock, and a pause inside a transaction may take, in milliseconds. Clients give up
 * after about 10 s, so a slower statement has no reader, and blocks others.
 *
 * They are settings of the service's role in its database, and not parameters of the connection: PgBouncer refuses a
 * connection with such parameters, and a `set` would stay on a connection that the pooler gives to another client next.
 * docs/decisions/0017-behind-a-connection-pooler.md compares the ways.
 */
export const TIME_LIMITS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  /** If a process hangs inside a transaction, the locks are released after this time. */
  idle_in_transaction_session_timeout: 30_000,
};
export type TimeLimits = typeof TIME_LIMITS;

interface TimeLimitsTarget {
  /** A connection to the database, without a pooler. */
  client: pg.ClientBase;
  /** The user of the service's connections. */
  role: string;
  database: string;
  limits: TimeLimits;
}

/**
 * Makes the limits the default of all later connections of the role to the database. Every role may do this for itself.
 * If the role is another one than that of `client`, or if the server has no such role because a pooler replaces it, the
 * limits become the default of the database, which its owner may set.
 * @throws pg.DatabaseError with 42501 if neither is permitted
 */
export async function setTimeLimits(target: TimeLimitsTarget): Promise<void> {
  const { client, role, limits } = target;
  if (await areSet(client, role, limits)) return;
  const { rows } = await client.query<{ isOwn: boolean }>('select current_user = $1 as "isOwn"', [role]);
  const roleInDatabase = `role ${pg.escapeIdentifier(role)} in database`;
  try {
    await change(target, roleInDatabase);
  } catch (error) {
    if (rows[0]?.isOwn || !NOT_FOR_THE_ROLE.has((error as { code?: string }).code ?? '')) throw error;
    await change(target, 'database');
  }
}

/** The SQL that an operator can run if the service itself may not. */
export const timeLimitsSql = (database: string, limits: TimeLimits): string =>
  statements('database', database, limits).join('; ');

const NOT_FOR_THE_ROLE: ReadonlySet<string> = new Set([
  '42501', // insufficient_privilege: the settings of another role
  '42704', // undefined_object: no such role
]);

async function areSet(client: pg.ClientBase, role: string, limits: TimeLimits): Promise<boolean> {
  // The settings of the database have the role 0. Those of the role take precedence, so they are last.
  const { rows } = await client.query<{ setting: string }>(
    `select unnest(setconfig) as setting from pg_db_role_setting
     where setdatabase = (select oid from pg_database where datname = current_database())
       and setrole in (0, (select oid from pg_roles where rolname = $1))
     order by setrole`,
    [role],
  );
  const settings = new Map(rows.map(({ setting }) => setting.split('=') as [string, string]));
  return Object.entries(limits).every(([name, millis]) => settings.get(name) === String(millis));
}

/** Takes a lock, because replicas that start at once would otherwise fail with "tuple concurrently updated". */
async function change({ client, database, limits }: TimeLimitsTarget, owner: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query("select pg_advisory_xact_lock(hashtextextended('fitness-platform time limits', 0))");
    for (const statement of statements(owner, database, limits)) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** @param owner of the settings: `database`, or a role in it */
const statements = (owner: string, database: string, limits: TimeLimits): string[] =>
  Object.entries(limits).map(
    ([name, millis]) => `alter ${owner} ${pg.escapeIdentifier(database)} set ${name} = ${millis}`,
  );

/** A condition in SQL: whether these limits apply to the connection that evaluates it. */
export const limitsApply = (limits: TimeLimits): string =>
  Object.entries(limits)
    .map(([name, millis]) => `extract(epoch from current_setting('${name}')::interval) * 1000 = ${millis}`)
    .join(' and ');
