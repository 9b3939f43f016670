import type { Configuration } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';

/** Kysely's dialect and driver as MikroORM makes them; Kysely is no dependency of ours. */
type Dialect = ReturnType<PostgreSqlConnection['createKyselyDialect']>;
type Driver = ReturnType<Dialect['createDriver']>;
type PooledConnection = Awaited<ReturnType<Driver['acquireConnection']>>;

/**
 * MikroORM's PostgreSQL driver, which gives every connection back to the pool.
 *
 * Kysely 0.29.6 does not release the connection of a transaction whose BEGIN, COMMIT or ROLLBACK throws
 * (https://github.com/kysely-org/kysely/issues/1990): each such failure takes one connection from the pool for good.
 * docs/decisions/0011-lost-connections.md says why it is mended here, and when this class can go.
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
 * MikroORM rolls back after a COMMIT that failed, and Kysely releases after a ROLLBACK that did not fail. So a ROLLBACK
 * that fails is passed over: the connection is gone, and the server has rolled back by itself. The pool destroys a
 * connection that is broken when it comes back, see PlatformClient.
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
