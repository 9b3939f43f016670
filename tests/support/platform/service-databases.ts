import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import type { DatabaseServer } from '#server/database/database-server.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import type { AnySubgraph } from '#server/define-subgraph.ts';
import type { ServerSettings, ServiceName } from '#server/settings.ts';
import { cloneDatabase, type ClonedDatabase } from '../database.ts';
import { asLeastUser } from '../least-rights.ts';
import type { Untyped } from './http-client.ts';

/** The databases of a test's services: one for each service, however often the service starts. */
export interface ServiceDatabases {
  /** Creates the service's database at the first call; undefined if the service needs none with these settings. */
  open(
    service: ServiceName,
    subgraph: AnySubgraph,
    settings: ServerSettings,
  ): Promise<ClonedDatabase | undefined>;
  /** Runs one statement on a connection that the test has for itself. */
  sql<Row = Untyped>(service: ServiceName, statement: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** @param through replaces the server of the test run in what `open` returns */
export function serviceDatabases(through?: DatabaseServer): ServiceDatabases {
  const databases = new Map<ServiceName, ClonedDatabase>();
  const pools = new Map<ServiceName, pg.Pool>();
  return {
    async open(service, { database, withoutDatabase }, settings) {
      if (!database || withoutDatabase?.(settings)) return undefined;
      const opened = databases.get(service) ?? (await cloneDatabase(database));
      databases.set(service, opened);
      const role = process.env.TEST_DATABASE_ROLE;
      if (role) return { ...opened, server: await asLeastUser(opened.server, opened.name, role) };
      return through ? { ...opened, server: through } : opened;
    },
    async sql<Row>(service: ServiceName, statement: string, values?: unknown[]) {
      const database = databases.get(service);
      if (!database) throw new Error(`${service} has no database in this test`);
      const pool = pools.get(service) ?? poolTo(database);
      pools.set(service, pool);
      return (await pool.query(statement, values)).rows as Row[];
    },
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
      await Promise.all([...databases.values()].map((database) => database.drop()));
    },
  };
}

/** Connections are kept, because a new one costs more than most statements. */
function poolTo({ server, name }: ClonedDatabase): pg.Pool {
  const pool = new pg.Pool({ ...connectionTo(server, name), Client: PlatformClient, allowExitOnIdle: true });
  pool.on('error', () => undefined); // an unused connection was terminated; the pool replaces it
  return pool;
}
