import type { MikroORM } from '@mikro-orm/postgresql';
import { Gauge, type Metrics } from '../observability/metrics.ts';

/** Adds the metrics of the service's pool to its registry. */
export async function measurePool(orm: MikroORM, { registry }: Metrics): Promise<void> {
  const pool = await orm.em.getConnection().getNativeClient();
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of the database pool: idle ones, and those in use. `max` is DATABASE_POOL_MAX.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      connections.set({ state: 'max' }, pool.options.max);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'database_connection_requests_waiting',
    help: 'Requests that wait for a connection of the database pool.',
    registers: [registry],
    collect(): void {
      waiting.set(pool.waitingCount);
    },
  });
}
