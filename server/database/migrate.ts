import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { PlatformClient } from './platform-client.ts';
import { PlatformDriver } from './platform-driver.ts';

/**
 * Runs the pending migrations in one transaction, and returns their names.
 *
 * MikroORM's migrator takes no lock: replicas that start at once would run the same migration and fail. Here one replica
 * migrates; the others wait and then find nothing to do. The connections are not those of the service, whose time
 * limits are meant for requests: migrating a large table may take longer.
 */
export async function migrate(
  server: DatabaseServer,
  name: string,
  migrations: readonly MigrationDeclaration[],
): Promise<string[]> {
  const orm = await MikroORM.init({
    driver: PlatformDriver,
    dbName: name,
    driverOptions: {
      ...connectionTo(server, name),
      application_name: `${name} migrations`,
      Client: PlatformClient,
    },
    // one connection holds the lock, the other makes the migrator's own table
    pool: { min: 0, max: 2 },
    discovery: { warnWhenNoEntities: false },
    entities: [],
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, silent: true, disableForeignKeys: false },
  });
  try {
    return await orm.em.fork().transactional(async (em) => {
      await em.execute("select pg_advisory_xact_lock(hashtextextended('fitness-platform migrations', 0))");
      // While a statement waits for a table's lock, every other statement on the table waits behind it. So it fails early.
      await em.execute("set local lock_timeout = '30s'");
      const done = await orm.migrator.up({ transaction: em.getTransactionContext()! });
      return done.map((migration) => migration.name);
    });
  } finally {
    await orm.close(true);
  }
}
