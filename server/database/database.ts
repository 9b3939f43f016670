import type { AnyEntity, EntityClass, EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';
import { ensureDatabase } from './ensure-database.ts';
import { grantUse } from './grant-use.ts';
import { migrateJobs } from '../jobs/jobs-schema.ts';
import { migrate } from './migrate.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { waitForMigrations } from './missing-migrations.ts';
import { PlatformClient } from './platform-client.ts';
import { PlatformDriver } from './platform-driver.ts';
import { limitsApply, TIME_LIMITS, timeLimitsSql, type TimeLimits } from './time-limits.ts';
import { DEFAULT_POOL_MAX } from './pool-size.ts';
import { platformEntities, platformMigrations } from './platform-tables.ts';

export type { DatabaseServer } from './database-server.ts';
export type { MigrationDeclaration } from './migration-declaration.ts';
export { DatabaseUnavailableError } from './ensure-database.ts';

/** A service's declaration of its database, in its `database.ts`. */
export interface DatabaseDeclaration {
  /** The name of the database and of the ORM's context, e.g. `platform_gym`. */
  name: string;
  /** The service's entities, listed explicitly. */
  entities: (EntityClass<AnyEntity> | EntitySchema)[];
  /** The service's migrations, oldest first: the list of its `migrations/index.ts`. */
  migrations: MigrationDeclaration[];
}

interface OpenDatabaseOptions {
  server: DatabaseServer;
  /** The name of the database, for tests, which run on clones. Default: the name in the declaration. */
  name?: string;
  /** How many connections are open at most. Default: DEFAULT_POOL_MAX. A request that waits 10 s for a connection fails. */
  poolMax?: number | undefined;
  /** Whether frequent reads are prepared statements, which the connections keep. Default: true. */
  preparesStatements?: boolean | undefined;
  /** Overrides `TIME_LIMITS` and `CLIENT_LIMITS`; for tests. */
  timeLimits?: Partial<TimeLimits & typeof CLIENT_LIMITS>;
  /** Whether to run the missing migrations. Default: true. */
  migrate?: boolean;
  /** Whether to wait for the command `migrate` instead of creating and changing the database. Default: false. */
  waitForMigrations?: boolean;
  /** Receives which migrations have run, and that the start waits for the command `migrate`. Default: both are ignored. */
  log?: (message: string) => void;
  /** Receives why the time limits do not apply. Default: it is ignored. */
  warn?: (message: string) => void;
}

/**
 * Opens a service's database: creates it if it is missing, runs its migrations, and connects. Any number of replicas may
 * do so at once.
 *
 * The tables that every service has (see platform-tables.ts) are created before the service's own.
 *
 * @throws DatabaseUnavailableError if the server cannot be reached or refuses the connection, or if the user may not
 * create the database; an Error if a migration fails: then none of the service's pending migrations is committed, but the
 * schema of its jobs may have been created or upgraded.
 */
export async function openDatabase(
  declaration: DatabaseDeclaration,
  options: OpenDatabaseOptions,
): Promise<MikroORM> {
  const { server, name = declaration.name, log = () => {}, warn = () => {} } = options;
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, ...clientLimits } = {
    ...TIME_LIMITS,
    ...CLIENT_LIMITS,
    ...options.timeLimits,
  };
  const timeLimits = { statement_timeout, lock_timeout, idle_in_transaction_session_timeout };
  if (options.waitForMigrations) await waitForMigrations(server, name, migrationsOf(declaration), log);
  else {
    await ensureDatabase(server, name, { timeLimits, warn });
    const done =
      (options.migrate ?? true) ? await migrateOrExplain(migrationsOf(declaration), server, name) : [];
    if (done.length > 0) log(`${name}: migrated ${done.join(', ')}`);
  }
  const orm = await MikroORM.init({
    driver: PlatformDriver,
    dbName: name,
    contextName: declaration.name,
    entities: [...platformEntities, ...declaration.entities],
    driverOptions: {
      ...connectionTo(server, name),
      ...clientLimits,
      application_name: declaration.name,
      // Some load balancers and firewalls drop connections that are silent for minutes.
      keepAlive: true,
      Client: PlatformClient,
      preparesStatements: options.preparesStatements,
    },
    pool: { min: 0, max: options.poolMax ?? DEFAULT_POOL_MAX, idleTimeoutMillis: 30_000 },
    ensureDatabase: false, // `ensureDatabase` above does it, also if several replicas start at once
    dataloader: true,
    forceUtcTimezone: true,
    validateRequired: true,
    allowGlobalContext: false,
    colors: false,
    logger: log,
  });
  // This query also initialises Kysely's driver. If only `read` of read.ts had used the pool, the driver would not be
  // initialised, and `orm.close` would leave the pool open.
  const [limits] = await orm.em
    .fork()
    .execute<{ apply: boolean }[]>(`select ${limitsApply(timeLimits)} as apply`);
  if (!limits?.apply)
    warn(
      `${name}: the time limits of statements do not apply to its connections. If there is a connection pooler, its ` +
        `connections may be older than the limits; otherwise run: ${timeLimitsSql(name, timeLimits)}`,
    );
  return orm;
}

interface MigrateDatabaseOptions extends Pick<OpenDatabaseOptions, 'name' | 'warn'> {
  server: DatabaseServer;
  /** The user of the running service, if it is not the owner of the database. */
  grantTo?: string | undefined;
}

/** Creates the database if it is missing, and runs its migrations; returns their names. @throws as `openDatabase` */
export async function migrateDatabase(
  declaration: DatabaseDeclaration,
  { server, name = declaration.name, grantTo, ...options }: MigrateDatabaseOptions,
): Promise<string[]> {
  await ensureDatabase(server, name, options);
  const done = await migrateOrExplain(migrationsOf(declaration), server, name);
  if (grantTo !== undefined) await grantUse(server, name, grantTo);
  return done;
}

/** Creates the database, and runs those of its migrations that are named. @throws as `openDatabase` */
export async function migrateDatabaseTo(
  declaration: DatabaseDeclaration,
  server: DatabaseServer,
  names: readonly string[],
): Promise<void> {
  await ensureDatabase(server, declaration.name);
  const wanted = migrationsOf(declaration).filter(({ name }) => names.includes(name));
  await migrateOrExplain(wanted, server, declaration.name);
}

/** All migrations of a database: first those of the tables that every service has, then the service's own. */
export const migrationsOf = ({ migrations }: DatabaseDeclaration): MigrationDeclaration[] => [
  ...platformMigrations,
  ...migrations,
];

/** Limits that are measured in this process, in milliseconds; see TIME_LIMITS for those that PostgreSQL measures. */
const CLIENT_LIMITS = {
  /** For a server that hangs, or a network that is cut: no error of the server's own limits arrives then. */
  query_timeout: 20_000,
  /** How long a request waits for a new connection, or for a free one of the pool. */
  connectionTimeoutMillis: 10_000,
};

async function migrateOrExplain(
  migrations: readonly MigrationDeclaration[],
  server: DatabaseServer,
  name: string,
): Promise<string[]> {
  try {
    await migrateJobs(server, name); // first, because a migration may add jobs
    return await migrate(server, name, migrations);
  } catch (error) {
    throw new Error(
      `The database "${name}" could not be brought up to date: ${(error as Error).message}. ` +
        'No table of the service has changed, but the schema of its jobs may have been created or upgraded. ' +
        'If a right is missing: the user of DATABASE_DIRECT_URL (or DATABASE_URL) must own the database; with ' +
        'DATABASE_MIGRATIONS=off only "npm start -- migrate" needs that user.',
      { cause: error },
    );
  }
}
