import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from '../observability/logger.ts';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';

/**
 * Events that reach every replica of a service through its database (LISTEN/NOTIFY): one that is sent inside a
 * transaction is told at its commit, and not at all where it is rolled back.
 *
 *     await unit.em.execute('select pg_notify(?, ?)', ['occupancy', JSON.stringify({ locationId })]);
 */
export interface Notifications {
  /** Calls `hear` for every payload of that channel until the returned function is called. */
  on(channel: string, hear: (payload: string) => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_MILLIS = 500; // 0.5 s

/** Listens to `channels` on a connection of its own, which is made again whenever it is lost; what is told meanwhile is missed. */
export async function listenTo(
  server: DatabaseServer,
  database: string,
  channels: readonly string[],
  log: Logger,
): Promise<Notifications> {
  const events = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | undefined;
  let closed = false;
  let again: NodeJS.Timeout | undefined;

  const retry = () => {
    if (!closed) again = setTimeout(() => void connect().catch(retry), RECONNECT_MILLIS);
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...connectionTo(server, database), keepAlive: true });
    const lost = (error?: Error) => {
      if (client !== next || closed) return;
      client = undefined;
      log.warn({ err: error }, 'the connection for notifications is lost; connecting again');
      retry();
    };
    next.on('error', lost).on('end', () => lost());
    next.on('notification', ({ channel, payload }) => events.emit(channel, payload ?? ''));
    await next.connect();
    client = next;
    for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
  };

  await connect();
  return {
    on(channel, hear) {
      events.on(channel, hear);
      return () => events.off(channel, hear);
    },
    async close() {
      closed = true;
      clearTimeout(again);
      await client?.end();
    },
  };
}
