import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from '../observability/logger.ts';
import { connectionTo } from './connection.ts';
import type { DatabaseServer } from './database-server.ts';
import { PlatformClient } from './platform-client.ts';

/**
 * Events that reach every replica of a service through its database (LISTEN/NOTIFY). An event that is sent inside a
 * transaction is delivered at its commit, and never if it is rolled back.
 *
 *     await unit.em.execute('select pg_notify(?, ?)', ['occupancy', JSON.stringify({ locationId })]);
 */
export interface Notifications {
  /** Calls `listener` with every payload of that channel until the returned function is called. */
  on(channel: string, listener: (payload: string) => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_MILLIS = 500; // 0.5 s
/** A network that drops packets closes no connection: only a query without an answer shows the failure. */
const PROBE_MILLIS = 15_000; // 15 s
const ANSWER_MILLIS = 5_000; // 5 s

/**
 * Listens to `channels` on a connection of its own, and reconnects whenever the connection is lost. Events that are sent
 * while it is lost are missed. The log has one line when it is lost and one when it is back.
 */
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
    if (closed) return;
    again = setTimeout(() => {
      connect().then(() => log.warn({}, 'the connection for notifications is back'), retry);
    }, RECONNECT_MILLIS);
  };
  const lost = (one: pg.Client, error?: Error) => {
    if (client !== one || closed) return; // not in use yet, or no longer
    client = undefined;
    one.end(() => undefined);
    log.warn({ reason: error?.message }, 'the connection for notifications is lost; connecting again');
    retry();
  };
  const connect = async (): Promise<void> => {
    const next = new PlatformClient({
      ...connectionTo(server, database),
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MILLIS,
      query_timeout: ANSWER_MILLIS,
    });
    next.on('error', (error) => lost(next, error)).on('end', () => lost(next));
    next.on('notification', ({ channel, payload }) => events.emit(channel, payload ?? ''));
    try {
      await next.connect();
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      next.end(() => undefined);
      throw error;
    }
    if (closed) next.end(() => undefined);
    else client = next;
  };
  const probing = setInterval(() => {
    const one = client;
    one?.query('select 1').catch((error: Error) => lost(one, error));
  }, PROBE_MILLIS);
  probing.unref();

  await connect();
  return {
    on(channel, listener) {
      events.on(channel, listener);
      return () => events.off(channel, listener);
    },
    async close() {
      closed = true;
      clearTimeout(again);
      clearInterval(probing);
      await client?.end();
    },
  };
}
