import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from './connection.ts';
import { withoutPooler, type DatabaseServer } from './database-server.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { PlatformClient } from './platform-client.ts';
import { PlatformDriver } from './platform-driver.ts';
import { TIME_LIMITS } from './time-limits.ts';

/**
 * Runs the pending migrations in one transaction, and returns their names.
 *
 * MikroORM's migrator takes no lock: replicas that start at once would run the same migration and fail. With the lock of
 * this function one replica migrates; the others wait and then find nothing to do. The function opens its own connections,
 * without a pooler. The time limits of the service's connections are for requests, and do not apply to the migrations, because
 * migrating a large table may take longer.
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
      ...connectionTo(withoutPooler(server), name),
      application_name: `${name} migrations`,
      Client: PlatformClient,
    },
    // One connection has the lock; on the other the migrator creates its own table.
    pool: { min: 0, max: 2 },
    discovery: { warnWhenNoEntities: false },
    entities: [],
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, silent: true, disableForeignKeys: false },
  });
  try {
    return await orm.em.fork().transactional(async (em) => {
      for (const limit of Object.keys(TIME_LIMITS)) await em.execute(`set local ${limit} = 0`);
      await em.execute("select pg_advisory_xact_lock(hashtextextended('fitness-platform migrations', 0))");
      // While a statement waits for a table's lock, every other statement on the table waits behind it. So the
      // migration fails after 30 s.
      await em.execute("set local lock_timeout = '30s'");
      const done = await orm.migrator.up({ transaction: em.getTransactionContext()! });
      return done.map((migration) => migration.name);
    });
  } finally {
    await orm.close(true);
  }
}
