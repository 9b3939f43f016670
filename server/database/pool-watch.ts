import type { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';
import { PlatformClient } from './platform-client.ts';

/** Detects that all connections of a pool are lost for good. */
interface PoolWatch {
  /** True if all connections are in use, none was acquired for `stuckAfterMillis`, and the server accepts another one. */
  isStuck(): Promise<boolean>;
  stop(): void;
}

interface PoolWatchOptions {
  server: DatabaseServer;
  /** The database's name. */
  name: string;
  /** Default 45 s: longer than any statement or idle transaction may take, see TIME_LIMITS. */
  stuckAfterMillis?: number;
}

/**
 * Watches a pool for the one state that only a restart of the process ends: connections that are never returned. If the
 * server does not answer, the pool is not stuck: a restart would not help, and the pool recovers with the server.
 */
export async function watchPool(
  orm: MikroORM,
  { server, name, stuckAfterMillis = 45_000 }: PoolWatchOptions,
): Promise<PoolWatch> {
  const pool = await orm.em.getConnection().getNativeClient();
  let busySince: number | undefined;
  let wasAcquired = true;
  const onAcquire = () => (wasAcquired = true);
  pool.on('acquire', onAcquire);
  const timer = setInterval(() => {
    const isExhausted = pool.totalCount >= pool.options.max && pool.idleCount === 0;
    if (!isExhausted) busySince = undefined;
    else if (wasAcquired || busySince === undefined) busySince = Date.now();
    wasAcquired = false;
  }, stuckAfterMillis / 10);
  timer.unref();
  return {
    async isStuck() {
      if (busySince === undefined || Date.now() - busySince < stuckAfterMillis) return false;
      return answers(server, name);
    },
    stop() {
      clearInterval(timer);
      pool.off('acquire', onAcquire);
    },
  };
}

async function answers(server: DatabaseServer, name: string): Promise<boolean> {
  const client = new PlatformClient({
    ...connectionTo(server, name),
    connectionTimeoutMillis: 1_000, // 1 s
    query_timeout: 1_000,
  });
  client.on('error', () => undefined); // the query throws the same error
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    client.end(() => undefined);
  }
}
