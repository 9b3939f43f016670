import type { MikroORM } from '@mikro-orm/postgresql';
import { openDatabase } from '../database/database.ts';
import { logLostConnections } from '../database/pool-losses.ts';
import { measurePool } from '../database/pool-metrics.ts';
import { watchPool } from '../database/pool-watch.ts';
import type { AnySubgraph, ServiceBase } from '../define-subgraph.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { StartOptions } from './options.ts';

/** The database of a started service. */
export interface ServiceDatabase {
  orm: MikroORM;
  address: NonNullable<ServiceBase<object>['database']>;
  /** @throws if the database does not answer */
  check(): Promise<unknown>;
  /** Whether only a restart of the process would give the service connections again. */
  isStuck(): Promise<boolean>;
  /** Closes the connections, each as soon as it is not in use, and waits until the server has closed all of them. */
  stop(): Promise<void>;
}

/** Opens the database that the service declares; undefined if it declares none, or if its settings replace the database. */
export async function openServiceDatabase(
  subgraph: AnySubgraph,
  { settings, databaseServer: server, databaseName }: StartOptions,
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<ServiceDatabase | undefined> {
  if (!subgraph.database || subgraph.withoutDatabase?.(settings)) return undefined;
  if (!server)
    throw new Error(
      `${subgraph.title} needs a database: set DATABASE_URL, or start it by main.ts, which starts an embedded one.`,
    );
  const name = databaseName ?? subgraph.database.name;
  const orm = await openDatabase(subgraph.database, {
    server,
    name,
    poolMax: settings.databasePoolMax,
    preparesStatements: settings.databasePreparedStatements,
    waitForMigrations: !settings.databaseMigrations,
    log: (message) => log.info(message),
    warn: (message) => log.warn(message),
  });
  await measurePool(orm, metrics);
  const endLog = await logLostConnections(orm, log);
  const poolWatch = await watchPool(orm, { server, name });
  return {
    orm,
    address: { server, name },
    check: () => orm.em.fork().execute('select 1'),
    isStuck: () => poolWatch.isStuck(),
    async stop() {
      poolWatch.stop();
      endLog();
      await orm.close(true);
    },
  };
}
