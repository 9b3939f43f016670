import { callbackify } from 'node:util';
import pg from 'pg';
import type { DatabaseHost } from './connection.ts';
import { beginStatement, endStatement } from '../observability/sql-span.ts';
import { findPrimary, forgetPrimary, NoPrimaryError } from './primary.ts';
import { PreparedRead, preparedStatement, type Statement } from './prepared-read.ts';

/** pg's callback for the result of a query. */
type QueryCallback = (error: Error | undefined, result: pg.QueryResult) => void;

export interface PlatformClientConfig extends pg.ClientConfig {
  /** Whether `read` prepares statements. Default: true. False behind a pooler that shares connections between clients. */
  preparesStatements?: boolean | undefined;
  /**
   * The servers of which one is the primary and the others are its standbys. A connection is always one to the primary, as
   * with libpq's `target_session_attrs=read-write`. Default: the one server in the other options, whatever its role is.
   */
  hosts?: readonly DatabaseHost[] | undefined;
}

/** Receives the rows of a read, which are empty if it failed. */
type ReadCallback = (error: Error | null | undefined, rows: unknown[]) => void;

/** pg's method that returns the parameters of the startup message; @types/pg does not declare it. */
type StartupOf = (this: pg.Client) => Record<string, string>;

/** pg's connection; @types/pg does not declare these members. */
interface WithConnection {
  readonly connection: {
    readonly stream: { destroy(error: Error): void };
    on(
      event: 'parameterStatus',
      listener: (status: { parameterName: string; parameterValue: string }) => void,
    ): void;
  };
}

/**
 * A database connection. Every connection of the platform is a PlatformClient, also those of MikroORM's pool, although
 * MikroORM has another copy of pg.
 *
 * It works in UTC. PostgreSQL computes days and hours, and prints times, in the time zone of the session, whose default
 * the owner of the server, the database or the role can set. So the time zone is sent in the startup message: this needs
 * no statement of its own, takes precedence over those defaults, is what `DISCARD ALL` resets to, and passes through
 * PgBouncer, because `TimeZone` is one of the few parameters that PgBouncer keeps for each client.
 *
 * It closes itself if its state is unknown or the server ends it, so that the pool replaces it.
 *
 * - A statement that failed without an answer of the server (query_timeout, a broken socket, a protocol error) leaves the
 *   connection in an unknown state: pg keeps it open, and its next user would wait behind the statement that hangs.
 * - Some errors announce the end of the connection, which follows some milliseconds later. Until then the pool would
 *   still hand it out.
 * - A server that refuses writes is no longer the primary. All connections of the pool are then closed, because the others
 *   lead to the same server.
 *
 * The connections of a URL with several hosts lead to the primary. pg knows only one host, so this class finds out which
 * host that is before it connects.
 *
 * It throws if a COMMIT did not commit. PostgreSQL answers the COMMIT of a transaction in which a statement has failed
 * with ROLLBACK and no error (https://www.postgresql.org/docs/current/sql-commit.html), so that otherwise a lost write
 * would be acknowledged.
 */
export class PlatformClient extends pg.Client {
  private readonly preparesStatements: boolean;

  private readonly config: PlatformClientConfig;

  constructor(config: PlatformClientConfig = {}) {
    super(config);
    this.config = config;
    const others = connected.get(config) ?? new Set();
    connected.set(config, others);
    this.once('connect', () => others.add(this)).once('end', () => others.delete(this));
    this.preparesStatements = config.preparesStatements ?? true;
  }

  // The signatures of pg's two overloads.
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const { hosts } = this.config;
    if (!hosts) return callback ? super.connect(callback) : super.connect();
    if (!callback) return this.connectToPrimary(hosts);
    callbackify(() => this.connectToPrimary(hosts))(callback);
  }

  private async connectToPrimary(hosts: readonly DatabaseHost[]): Promise<pg.Client> {
    const primary = await findPrimary(hosts, (host) => this.isPrimary(host));
    Object.assign(this, primary); // pg reads `host` and `port` when it connects
    let isStandby = false;
    // PostgreSQL reports this parameter at the start of each connection, so that the check needs no statement.
    const { connection } = this as unknown as WithConnection;
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'on') isStandby = true;
    });
    try {
      await super.connect();
      if (isStandby)
        throw new NoPrimaryError([new Error(`${primary.host}:${primary.port} is a standby now`)]);
      return this;
    } catch (error) {
      forgetPrimary(hosts, primary);
      if (isStandby) this.end(() => undefined);
      throw error;
    }
  }

  private async isPrimary({ host, port }: DatabaseHost): Promise<boolean> {
    const { connectionString, ...config } = this.config;
    const url = connectionString && new URL(connectionString);
    if (url) Object.assign(url, { hostname: host.includes(':') ? `[${host}]` : host, port });
    const probe = new PlatformClient({
      ...config,
      ...(url && { connectionString: url.href }),
      connectionTimeoutMillis: config.connectionTimeoutMillis ?? 10_000,
      hosts: undefined,
    });
    probe.on('error', () => undefined); // the query throws the same error
    try {
      await probe.connect();
      const { rows } = (await probe.query('show transaction_read_only')) as pg.QueryResult<{
        transaction_read_only: string;
      }>;
      return rows[0]?.transaction_read_only === 'off';
    } finally {
      probe.end(() => undefined);
    }
  }

  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf: StartupOf };
    return { ...getStartupConf.call(this), TimeZone: 'UTC' };
  }

  /** Runs a `select`, and returns its rows. */
  read(statement: Statement, values: readonly unknown[], done: ReadCallback): void {
    const prepared = this.preparesStatements ? statement : { ...statement, name: undefined };
    const span = beginStatement(statement.text, this.database);
    super.query(
      new PreparedRead(prepared, values, this, (error, rows = []) => {
        if (span) endStatement(span, error);
        if (error) this.endIfLost(error);
        done(error, rows);
      }),
    );
  }

  // One signature for pg's eleven overloads: arguments and result pass through unchanged.
  // oxlint-disable-next-line no-explicit-any -- pg's own declaration of the implementation
  override query(...args: any[]): any {
    const statement = this.preparesStatements && args.length === 2 ? preparedStatement(args[0]) : undefined;
    if (statement) return this.resultOf(statement, args[1] as unknown[]);
    const span = beginStatement(args[0], this.database);
    const last: unknown = args.at(-1);
    const isCommit = args[0] === 'commit';
    const checked = (error: Error | undefined, result: pg.QueryResult): Error | undefined => {
      if (span) endStatement(span, error);
      if (error) this.endIfLost(error);
      else if (isCommit && result.command === 'ROLLBACK') return new RolledBackError();
      return error;
    };
    if (typeof last === 'function') {
      const callback = last as QueryCallback;
      const watching: QueryCallback = (error, result) => callback(checked(error, result), result);
      return super.query(...([...args.slice(0, -1), watching] as Parameters<pg.Client['query']>));
    }
    const answer: unknown = super.query(...(args as Parameters<pg.Client['query']>));
    if (!(answer instanceof Promise)) return answer; // a cursor, whose errors its reader gets
    return answer.then(
      (result: pg.QueryResult) => {
        const failure = checked(undefined, result);
        if (failure) throw failure;
        return result;
      },
      (error: Error) => {
        if (span) endStatement(span, error);
        this.endIfLost(error);
        throw error;
      },
    );
  }

  /** The result of a statement of `read` inside a transaction, where MikroORM sends it. */
  private resultOf(statement: Statement, values: readonly unknown[]): Promise<Partial<pg.QueryResult>> {
    return new Promise((resolve, reject) => {
      this.read(statement, values, (error, rows) => {
        if (error) reject(error);
        else resolve({ rows, rowCount: rows.length });
      });
    });
  }

  /** Ends the connection if it is lost: the pool then does not take it back, and its current user gets an error at once. */
  private endIfLost(error: Error): void {
    if (!isConnectionLost(error)) return;
    if (this.config.hosts) forgetPrimary(this.config.hosts, this);
    this.end(() => undefined);
    if ((error as { code?: unknown }).code === READ_ONLY) this.closeOthers();
  }

  /** Breaks the sockets of the pool's other connections: the pool then removes these connections, even if they are idle. */
  private closeOthers(): void {
    const refused = new Error('Connection terminated, because the server no longer accepts writes');
    for (const other of connected.get(this.config) ?? []) if (other !== this) other.socket.destroy(refused);
  }

  private get socket(): { destroy(error: Error): void } {
    return (this as unknown as WithConnection).connection.stream;
  }
}

/** The open connections of each pool: a pool passes the same object with options to all of its connections. */
const connected = new WeakMap<PlatformClientConfig, Set<PlatformClient>>();

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/** The server answered a COMMIT with ROLLBACK. */
export class RolledBackError extends Error {
  override readonly name = 'RolledBackError';
  constructor() {
    super('The transaction was rolled back, because one of its statements had failed.');
  }
}

function isConnectionLost(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return ENDS_THE_SESSION.has(error.code ?? '') || isOfPooler(error);
}

/**
 * Whether the error is PgBouncer's own. PgBouncer ends a connection with SQLSTATE protocol_violation for any reason: no free
 * connection in time, no server, a server connection that was lost. An error of PostgreSQL always has a `routine`.
 */
export const isOfPooler = ({ code, routine }: { code?: unknown; routine?: unknown }): boolean =>
  code === '08P01' && routine === undefined;

/**
 * SQLSTATEs with which the server ends a session, or after which this client must end it
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). The severity FATAL also reports the end of a session, but pg
 * returns it only in the language of the server's messages.
 */
const ENDS_THE_SESSION: ReadonlySet<string> = new Set([
  READ_ONLY, // the session continues, but with a server that is a standby after a failover
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P04', // database_dropped
  '57P05', // idle_session_timeout
  '58030', // io_error
  'XX001', // data_corrupted
  'XX002', // index_corrupted
]);
