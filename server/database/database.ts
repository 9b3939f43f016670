import type { AnyEntity, EntityClass, EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';
import { ensureDatabase } from './ensure-database.ts';
import { migrate } from './migrate.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { PlatformClient } from './platform-client.ts';
import { PlatformDriver } from './platform-driver.ts';
import { platformEntities, platformMigrations } from './platform-tables.ts';

export type { DatabaseServer } from './database-server.ts';
export type { MigrationDeclaration } from './migration-declaration.ts';
export { DatabaseUnavailableError } from './ensure-database.ts';

/** A service's declaration of its database, in its `database.ts`. */
export interface DatabaseDeclaration {
  /** Also the name of the ORM's context, e.g. `platform_gym`. */
  name: string;
  /** The service's entities, listed explicitly. */
  entities: (EntityClass<AnyEntity> | EntitySchema)[];
  /** The service's migrations, oldest first: the list of its `migrations/index.ts`. */
  migrations: MigrationDeclaration[];
}

interface OpenDatabaseOptions {
  server: DatabaseServer;
  /** Another name for the database itself, for tests, which clone it. Default: the declaration's. */
  name?: string;
  /** Most connections at a time. Default: 10. A request that waits 10 s for one fails. */
  poolMax?: number;
  /** Overrides `TIME_LIMITS`; for tests. */
  timeLimits?: Partial<typeof TIME_LIMITS>;
  /** Whether to run the missing migrations. Default: true. */
  migrate?: boolean;
  /** Receives what was migrated, and warnings such as a dropped connection. Default: they are ignored. */
  log?: (message: string) => void;
}

/**
 * Opens a service's database: creates it if it is missing, runs its migrations, and connects. Safe if any number of
 * replicas do so at once.
 *
 * The tables that every service has (see platform-tables.ts) come before the service's own.
 *
 * @throws DatabaseUnavailableError if the server cannot be reached, refuses the connection, or the right to create is
 * missing; an Error if a migration fails, of which nothing is kept.
 */
export async function openDatabase(
  declaration: DatabaseDeclaration,
  options: OpenDatabaseOptions,
): Promise<MikroORM> {
  const { server, name = declaration.name, log = () => {} } = options;
  await ensureDatabase(server, name);
  if (options.migrate ?? true) {
    const done = await migrateOrExplain(declaration, server, name);
    if (done.length > 0) log(`${name}: migrated ${done.join(', ')}`);
  }
  const orm = await MikroORM.init({
    driver: PlatformDriver,
    dbName: name,
    contextName: declaration.name,
    entities: [...platformEntities, ...declaration.entities],
    driverOptions: {
      ...connectionTo(server, name),
      ...TIME_LIMITS,
      ...options.timeLimits,
      application_name: declaration.name,
      // some load balancers and firewalls drop connections that are silent for minutes
      keepAlive: true,
      Client: PlatformClient,
    },
    pool: { min: 0, max: options.poolMax ?? 10, idleTimeoutMillis: 30_000 },
    ensureDatabase: false, // done above, safe if replicas do it at once
    dataloader: true,
    forceUtcTimezone: true,
    validateRequired: true,
    allowGlobalContext: false,
    colors: false,
    logger: log,
  });
  // MikroORM closes the driver's pool, which `read` uses, only if it has itself used the pool.
  await orm.em.fork().execute('select 1');
  return orm;
}

/** In milliseconds. Clients give up after about 10 s: a slower statement helps nobody and blocks others. */
export const TIME_LIMITS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  /** a transaction whose process hangs loses its locks after this time */
  idle_in_transaction_session_timeout: 30_000,
  /** measured in this process, for a server that hangs or a network that is cut, in which case the server's limits never arrive */
  query_timeout: 20_000,
  /** for a new connection, and for a free one of the pool */
  connectionTimeoutMillis: 10_000,
};

async function migrateOrExplain(
  declaration: DatabaseDeclaration,
  server: DatabaseServer,
  name: string,
): Promise<string[]> {
  try {
    return await migrate(server, name, [...platformMigrations, ...declaration.migrations]);
  } catch (error) {
    throw new Error(
      `The database "${name}" could not be brought up to date: ${(error as Error).message}. ` +
        'Nothing of it was kept; the database is unchanged. ' +
        'If a right is missing: the user of DATABASE_URL must own the database.',
      { cause: error },
    );
  }
}
