import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { connectionTo } from '../database/connection.ts';
import { withoutPooler, type DatabaseServer } from '../database/database-server.ts';
import { PlatformPool } from '../database/platform-pool.ts';
import { workerLogger } from './worker-log.ts';

/**
 * Creates or upgrades the schema `graphile_worker`, in which the jobs of a service are stored. Replicas that start at once
 * wait for each other: the pool has one connection, whose lock lasts until it is closed.
 */
export async function migrateJobs(server: DatabaseServer, database: string): Promise<void> {
  const pool = jobsPool(server, database, { max: 1 });
  try {
    // A migration may take longer than the time limits of the service's connections, which are for requests.
    await pool.query('set statement_timeout = 0; set lock_timeout = 0');
    await pool.query("select pg_advisory_lock(hashtextextended('fitness-platform jobs', 0))");
    await runMigrations({ pgPool: pool, logger: workerLogger() });
  } finally {
    await pool.end();
  }
}

/** A pool that connects to PostgreSQL directly and not through a pooler, because LISTEN needs a session. */
export function jobsPool(
  server: DatabaseServer,
  database: string,
  options: Pick<pg.PoolConfig, 'max' | 'query_timeout'>,
): pg.Pool {
  return new PlatformPool({
    ...connectionTo(withoutPooler(server), database),
    ...options,
    application_name: `${database} jobs`,
    keepAlive: true,
    idleTimeoutMillis: 60_000, // 60 s, longer than the pauses between two uses
    connectionTimeoutMillis: 10_000,
  });
}
