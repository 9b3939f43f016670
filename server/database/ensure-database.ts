import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addressOf, connectionTo, maintenanceDatabase } from './connection.ts';
import { withoutPooler, type DatabaseServer } from './database-server.ts';
import { PlatformClient } from './platform-client.ts';
import { setTimeLimits, timeLimitsSql, TIME_LIMITS, type TimeLimits } from './time-limits.ts';
import { StartError } from '../start-error.ts';

/** The database cannot be used. The message says why, and what to do about it. */
export class DatabaseUnavailableError extends StartError {
  override readonly name = 'DatabaseUnavailableError';
}

interface EnsureOptions {
  timeLimits?: TimeLimits | undefined;
  /** Receives why the time limits could not be set. Default: it is ignored. */
  warn?: (message: string) => void;
}

/**
 * Creates the database if it is missing, and sets the time limits of the service's connections to it. If replicas do so at
 * the same time, one creates it and the others find it. Waits up to 30 s for a server that is starting or recovering from
 * a crash, or for one of several servers to become the primary.
 * @throws DatabaseUnavailableError
 */
export async function ensureDatabase(
  server: DatabaseServer,
  name: string,
  options: EnsureOptions = {},
): Promise<void> {
  const direct = withoutPooler(server);
  const limitTimes = (client: PlatformClient) => applyTimeLimits(client, server, name, options);
  try {
    if (await usedExisting(direct, name, limitTimes)) return;
    await onceConnected(direct, maintenanceDatabase(direct), (client) => createUnlessThere(client, name));
    await onceConnected(direct, name, limitTimes);
  } catch (error) {
    throw explained(error, direct, name);
  }
}

/** Connects to the database and calls `use`. Returns false, without a call of `use`, if there is no such database. */
async function usedExisting(
  server: DatabaseServer,
  name: string,
  use: (client: PlatformClient) => Promise<void>,
): Promise<boolean> {
  try {
    await onceConnected(server, name, use);
    return true;
  } catch (error) {
    if (codeOf(error) === code.noSuchDatabase) return false;
    throw error;
  }
}

async function applyTimeLimits(
  client: PlatformClient,
  server: DatabaseServer,
  database: string,
  { timeLimits: limits = TIME_LIMITS, warn }: EnsureOptions,
): Promise<void> {
  const role = new PlatformClient(connectionTo(server, database)).user ?? '';
  try {
    await setTimeLimits({ client, role, database, limits });
  } catch (error) {
    if (codeOf(error) !== code.noRight) throw error;
    warn?.(
      `${database}: the time limits of statements cannot be set (${reasonOf(error)}). ` +
        `Let the owner of the database run: ${timeLimitsSql(database, limits)}`,
    );
  }
}

async function createUnlessThere(client: pg.Client, name: string): Promise<void> {
  try {
    // template0 allows any encoding, and no connections: a template to which somebody is connected cannot be copied.
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
  } catch (error) {
    // If two replicas create the database at once, the slower one gets one of these two errors, depending on the timing.
    const isThere = codeOf(error) === code.duplicateDatabase || codeOf(error) === code.uniqueViolation;
    if (!isThere) throw error;
  }
}

async function onceConnected(
  server: DatabaseServer,
  database: string,
  use: (client: PlatformClient) => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + 30_000; // 30 s
  for (;;) {
    const client = new PlatformClient({ ...connectionTo(server, database), connectionTimeoutMillis: 10_000 });
    client.on('error', () => {}); // a connection lost between two queries: the next query throws
    let isConnected = false;
    try {
      await client.connect();
      isConnected = true;
      return await use(client);
    } catch (error) {
      if (!isConnected && codeOf(error) === code.noRight)
        throw connectRefused(error, server, database, client.user);
      if (codeOf(error) !== code.startingUp || Date.now() > deadline) throw error;
      await sleep(200); // 0.2 s
    } finally {
      await client.end().catch(() => {}); // never connected, or dropped
    }
  }
}

/** SQLSTATEs, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const code = {
  noSuchDatabase: '3D000',
  duplicateDatabase: '42P04',
  uniqueViolation: '23505',
  startingUp: '57P03',
  tooManyConnections: '53300',
  noRight: '42501',
} as const;

/** The error for a user without the right CONNECT. PostgreSQL checks this right only for a database that exists. */
function connectRefused(
  error: unknown,
  server: DatabaseServer,
  database: string,
  user = '',
): DatabaseUnavailableError {
  const [name, role] = [pg.escapeIdentifier(database), pg.escapeIdentifier(user)];
  return new DatabaseUnavailableError(
    `The database "${database}" exists at ${addressOf(server)}, but the user "${user}" may not connect to it ` +
      `(${reasonOf(error)}). If this user migrates the databases, it must own this one and its tables: let a superuser run ` +
      `ALTER DATABASE ${name} OWNER TO ${role}, and give it tables that exist already by REASSIGN OWNED. ` +
      `Otherwise it needs the right CONNECT: GRANT CONNECT ON DATABASE ${name} TO ${role}.`,
    { cause: error },
  );
}

function explained(error: unknown, server: DatabaseServer, name: string): Error {
  if (error instanceof DatabaseUnavailableError) return error;
  const address = addressOf(server);
  const reason = reasonOf(error);
  const because = (text: string): Error => new DatabaseUnavailableError(text, { cause: error });

  switch (codeOf(error) ?? '') {
    case code.noSuchDatabase:
      return because(
        `The database "${maintenanceDatabase(server)}" at ${address}, to which DATABASE_URL leads, does not exist. ` +
          `It is only used to create "${name}"; end the URL with a database that exists, such as /postgres.`,
      );
    case code.noRight:
      return because(
        `The database "${name}" is missing at ${address}, and the user may not create it (${reason}). ` +
          `Give the user of DATABASE_URL the right (ALTER ROLE ... CREATEDB), or create the database for it ` +
          `(CREATE DATABASE "${name}" OWNER ...).`,
      );
    case code.tooManyConnections:
      return because(
        `PostgreSQL at ${address} has no free connection for "${name}" (${reason}). ` +
          'Each replica of a service uses up to DATABASE_POOL_MAX and some more: raise max_connections, lower the setting, or run fewer replicas.',
      );
    case code.startingUp:
      return because(
        `PostgreSQL at ${address} does not accept connections after 30 s (${reason}): it is starting or recovering, or none ` +
          'of several servers is the primary. Look into its log.',
      );
  }
  // SASL: thrown by the client without a SQLSTATE, for example if the URL has no password and the server asks for one.
  if (codeOf(error)?.startsWith('28') || reason.startsWith('SASL')) {
    return because(
      `PostgreSQL at ${address} refuses the user of DATABASE_URL (${reason}). ` +
        "Check its name and password, and the server's pg_hba.conf.",
    );
  }
  if (isSqlState(codeOf(error))) return because(`PostgreSQL at ${address} cannot open "${name}": ${reason}`);
  return because(
    `No PostgreSQL server can be reached at ${address} for "${name}" (${reason}). ` +
      'Check that it runs and accepts connections from here, that host, port and sslmode of DATABASE_URL are right, ' +
      'and that no firewall blocks them. Without a DATABASE_URL the platform starts a server of its own.',
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}

function isSqlState(text: string | undefined): boolean {
  return text !== undefined && /^[0-9A-Z]{5}$/.test(text) && /\d/.test(text);
}

/** localhost is two addresses. If neither answers, the error is an AggregateError without a text of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
