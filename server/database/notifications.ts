import { EventEmitter } from 'node:events';
import pg from 'pg';
import { causedBy, NotificationCauses } from '../observability/event-cause.ts';
import type { Logger } from '../observability/logger.ts';
import { connectionTo } from './connection.ts';
import { withoutPooler, type DatabaseServer } from './database-server.ts';
import { PlatformClient } from './platform-client.ts';

/**
 * Events that reach every replica of a service through its database (LISTEN/NOTIFY). An event that is sent inside a
 * transaction is delivered at its commit, and never if it is rolled back.
 *
 *     await unit.em.execute(`select ${notifying('location_id::text')} from ...`, notifyingValues('occupancy'));
 *
 * The listeners are called with the cause of the change (see `presentCause`).
 */
export interface Notifications {
  /** Calls `listener` for every event of that channel until the returned function is called. */
  on(channel: string, listener: NotificationListener): () => void;
  /**
   * Resolves when all events of transactions that were committed before the call are delivered.
   * @throws Error if the connection is lost
   */
  whenDelivered(): Promise<void>;
  /** No listener is called after this call. */
  close(): Promise<void>;
}

/**
 * Receives the payload of an event. It is undefined after each reconnection, because events may have been missed: anything
 * may have changed, so the listener reads the present state of everything that it observes.
 */
export type NotificationListener = (payload: string | undefined) => void;

const RECONNECT_MILLIS = 500; // 0.5 s
/** If the network drops packets, no connection is closed: only a query without an answer shows the failure. */
const PROBE_MILLIS = 15_000; // 15 s
const ANSWER_MILLIS = 5_000; // 5 s

/**
 * Listens to `channels` on a connection of its own without a pooler, and reconnects whenever the connection is lost. Events
 * that are sent in between are missed; the listeners are then called without a payload. The log gets one line when the
 * connection is lost, and one when it is restored.
 */
export async function listenTo(
  server: DatabaseServer,
  database: string,
  channels: readonly string[],
  log: Logger,
): Promise<Notifications> {
  const listening = new ListeningConnection(
    () =>
      new PlatformClient({
        ...connectionTo(withoutPooler(server), database),
        application_name: `${database} notifications`,
        keepAlive: true,
        connectionTimeoutMillis: ANSWER_MILLIS,
        query_timeout: ANSWER_MILLIS,
      }),
    channels,
    log,
  );
  try {
    await listening.connect();
  } catch (error) {
    await listening.close();
    throw error;
  }
  if ('url' in server && !server.directUrl && (await listening.isPooled()))
    log.warn(
      {},
      'the connection for notifications leads through a connection pooler. If the pooler does not keep sessions ' +
        '(PgBouncer: pool_mode=transaction), no notification arrives: set DATABASE_DIRECT_URL to the address of PostgreSQL',
    );
  return listening;
}

class ListeningConnection implements Notifications {
  private readonly newClient: () => pg.Client;
  private readonly channels: readonly string[];
  private readonly log: Logger;
  private readonly events = new EventEmitter().setMaxListeners(0);
  private readonly probing = setInterval(() => this.probe(), PROBE_MILLIS);
  /** Undefined while the connection is lost. */
  private client: pg.Client | undefined;
  private reconnectTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(newClient: () => pg.Client, channels: readonly string[], log: Logger) {
    this.newClient = newClient;
    this.channels = channels;
    this.log = log;
    this.probing.unref();
  }

  async connect(): Promise<void> {
    const client = this.newClient();
    client.on('error', (error) => this.lost(client, error)).on('end', () => this.lost(client));
    const causes = new NotificationCauses();
    client.on('notification', ({ channel, payload: text = '' }) => {
      if (this.isClosed) return; // it arrived while the connection was being closed
      const change = causes.read(text);
      if (change) causedBy(change.cause, () => this.events.emit(channel, change.payload));
    });
    try {
      await client.connect();
      for (const channel of this.channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      client.end(() => undefined);
      throw error;
    }
    if (this.isClosed) client.end(() => undefined);
    else this.client = client;
  }

  /** PostgreSQL sends the number of its process at the start of a connection; a pooler sends another number. */
  async isPooled(): Promise<boolean> {
    const { client } = this;
    const answer = await client?.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { processID } = client as unknown as { processID: number };
    return answer !== undefined && answer.rows[0]?.pid !== processID;
  }

  on(channel: string, listener: NotificationListener): () => void {
    this.events.on(channel, listener);
    return () => this.events.off(channel, listener);
  }

  /** PostgreSQL sends the notifications of earlier commits before it says that it is ready for the next query. */
  async whenDelivered(): Promise<void> {
    if (!this.client) throw new Error('the connection for notifications is lost');
    await this.client.query('select 1');
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.reconnectTimer);
    clearInterval(this.probing);
    await this.client?.end();
  }

  private probe(): void {
    const { client } = this;
    client?.query('select 1').catch((error: Error) => this.lost(client, error));
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.isClosed) return; // this client is not in use yet, or no longer
    this.client = undefined;
    client.end(() => undefined);
    this.log.warn({ reason: error?.message }, 'the connection for notifications is lost; connecting again');
    this.retry();
  }

  private retry(): void {
    if (this.isClosed) return;
    this.reconnectTimer = setTimeout(() => {
      this.connect().then(
        () => this.restored(),
        () => this.retry(),
      );
    }, RECONNECT_MILLIS);
  }

  private restored(): void {
    if (this.isClosed) return; // closed while it connected
    this.log.warn({}, 'the connection for notifications is restored');
    for (const channel of this.channels) this.events.emit(channel, undefined);
  }
}
