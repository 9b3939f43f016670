import type { Configuration } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';

/** Kysely's dialect and driver as MikroORM creates them; Kysely is not a dependency of this package. */
type Dialect = ReturnType<PostgreSqlConnection['createKyselyDialect']>;
type Driver = ReturnType<Dialect['createDriver']>;
type PooledConnection = Awaited<ReturnType<Driver['acquireConnection']>>;

/**
 * MikroORM's PostgreSQL driver, changed so that every connection returns to the pool.
 *
 * Kysely 0.29.6 does not release the connection of a transaction whose BEGIN, COMMIT or ROLLBACK throws
 * (https://github.com/kysely-org/kysely/issues/1990): each such failure takes one connection from the pool for good.
 * docs/decisions/0011-lost-connections.md says why the fix is here, and when this class can be removed.
 */
export class PlatformDriver extends PostgreSqlDriver {
  override readonly connection: PostgreSqlConnection;

  constructor(config: Configuration) {
    super(config);
    this.connection = new PlatformConnection(config);
  }
}

class PlatformConnection extends PostgreSqlConnection {
  override createKyselyDialect(
    overrides: Parameters<PostgreSqlConnection['createKyselyDialect']>[0],
  ): Dialect {
    const dialect = super.createKyselyDialect(overrides);
    const createDriver = dialect.createDriver.bind(dialect);
    dialect.createDriver = () => releasing(createDriver());
    return dialect;
  }
}

/**
 * MikroORM rolls back after a COMMIT that failed, and Kysely releases the connection after a ROLLBACK that succeeded. So
 * the error of a failed ROLLBACK is ignored: the connection is lost, and the server has rolled back by itself. The pool
 * destroys a broken connection when it is returned, see PlatformClient.
 */
function releasing(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  return Object.assign(driver, {
    async beginTransaction(connection: PooledConnection, settings: Parameters<typeof begin>[1]) {
      try {
        await begin(connection, settings);
      } catch (error) {
        await driver.releaseConnection(connection);
        throw error;
      }
    },
    async rollbackTransaction(connection: PooledConnection) {
      await rollback(connection).catch(() => undefined);
    },
  });
}
