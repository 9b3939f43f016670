import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { refusalOfErasedAccount } from '../accounts/erased-accounts.ts';
import { invalid, PlatformError } from '../errors.ts';
import { isOfPooler, RolledBackError } from './platform-client.ts';

/**
 * An error of the database as a PlatformError; undefined for any other error.
 *
 * If the answer to a COMMIT is lost, the error is UPSTREAM_UNAVAILABLE, although the transaction may have been committed.
 * A caller with an `Idempotency-Key` can repeat the request safely.
 */
export function refusalOfDatabase(thrown: unknown): PlatformError | undefined {
  if (!isNativeError(thrown) || thrown instanceof PlatformError) return undefined;
  const { code } = thrown as { code?: unknown };
  if (isUnstorable(thrown, code))
    return invalid(
      '',
      'the text contains a NUL character or an unpaired UTF-16 surrogate, which cannot be stored',
    );
  if (isWithoutSpace(thrown)) return storageFull(thrown);
  if (typeof code === 'string' && UNFIT.has(code)) return unfit(thrown, code);
  return refusalOfErasedAccount(thrown) ?? unavailable(thrown, code);
}

/** A `text` of PostgreSQL may contain any character but NUL (Character Types, 8.3). PostgreSQL reports a NUL in three ways. */
function isUnstorable(thrown: Error, code: unknown): boolean {
  if (code === '22021' || code === '22P05') return true; // character_not_in_repertoire, untranslatable_character
  // PostgreSQL has read a parameter only up to its NUL. The error has no other cause, because pg never breaks the protocol.
  return code === '08P01' && routineOf(thrown) === 'pq_getmsgend';
}

/**
 * The function inside PostgreSQL that reported an error. It distinguishes errors of one SQLSTATE; the message cannot,
 * because it is in the language of the server (`lc_messages`).
 */
const routineOf = (thrown: Error): unknown => (thrown as { routine?: unknown }).routine;

/**
 * SQLSTATEs of a value that cannot be stored in its column. Shapes refuse most of these values with the name of the field;
 * this list is for values that no shape checks, such as an id that is no UUID or a sum that grows too large.
 */
const UNFIT: ReadonlyMap<string, string> = new Map([
  ['22001', 'a text is longer than can be stored'], // string_data_right_truncation
  ['22003', 'a number is too large to be stored'], // numeric_value_out_of_range
  ['22007', 'a date or time is not well-formed'], // invalid_datetime_format
  ['22008', 'a date or time is out of range'], // datetime_field_overflow
  ['22P02', 'a value is not well-formed'], // invalid_text_representation
]);

function unfit(thrown: Error, code: string): PlatformError {
  // All ids are UUIDs, so nothing has another text as its id.
  if (code === '22P02' && routineOf(thrown) === 'string_to_uuid')
    return new PlatformError('NOT_FOUND', 'Nothing has the id that was sent: expected a UUID.');
  return invalid('', UNFIT.get(code) ?? 'a value cannot be stored');
}

/** SQLSTATE disk_full, and the errors of the file system in this process. */
const NO_SPACE: ReadonlySet<string> = new Set(['53100', 'ENOSPC', 'EDQUOT']);

/** Whether the error, or its cause at up to five levels, reports a full disk. Libraries that write files wrap such errors. */
function isWithoutSpace(thrown: unknown, depth = 0): boolean {
  if (!isNativeError(thrown) || depth > 5) return false;
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  return (typeof code === 'string' && NO_SPACE.has(code)) || isWithoutSpace(cause, depth + 1);
}

const storageFull = (cause: Error): PlatformError =>
  new PlatformError(
    'INSUFFICIENT_STORAGE',
    'There is no space left to store this; nothing was changed. Try again after the operator has freed space.',
    { cause, retryAfterSeconds: 60 },
  );

/**
 * How an error of the database ended the transaction. `undone`: PostgreSQL has rolled it back because of other transactions, so
 * that a repetition may succeed. `lost`: its connection is lost. Undefined for any other error.
 */
export function failureOf(thrown: unknown): 'undone' | 'lost' | undefined {
  if (!isNativeError(thrown)) return undefined;
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string' && UNDONE.has(code)) return 'undone';
  // This error only says that the COMMIT did not commit. The reason is the error of an earlier statement.
  if (thrown instanceof RolledBackError) return undefined;
  return isOutOfReach(thrown, code) ? 'lost' : undefined;
}

/** Whether an earlier statement of the transaction has failed (SQLSTATE in_failed_sql_transaction). */
export const isOfFailedTransaction = (thrown: unknown): boolean =>
  isNativeError(thrown) && 'code' in thrown && thrown.code === '25P02';

function unavailable(thrown: Error, code: unknown): PlatformError | undefined {
  const isBusy = typeof code === 'string' && BUSY.has(code);
  if (!isBusy && !isOutOfReach(thrown, code)) return undefined;
  return new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    isBusy
      ? 'The database was too busy for this request, for example because other requests changed the same data; try again in a moment.'
      : 'The database does not answer now; try again in a moment.',
    { cause: thrown, retryAfterSeconds: isBusy ? 1 : 2 },
  );
}

/** SQLSTATEs of a transaction that PostgreSQL has rolled back because of another one. */
const UNDONE: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);

/**
 * SQLSTATEs of a statement that may succeed when it is repeated,
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const BUSY: ReadonlySet<string> = new Set([
  ...UNDONE,
  '55P03', // lock_not_available: lock_timeout
  '57014', // query_canceled: statement_timeout
  '53000', // insufficient_resources
  '53200', // out_of_memory
  '53400', // configuration_limit_exceeded
]);

/** SQLSTATEs of a server that is starting or stopping, has no free connection, has ended the session, or is a standby now. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  '08000', // connection_exception
  '08001', // sqlclient_unable_to_establish_sqlconnection
  '08003', // connection_does_not_exist
  '08004', // sqlserver_rejected_establishment_of_sqlconnection
  '08006', // connection_failure
  '25006', // read_only_sql_transaction: the address still leads to the old primary of a failover
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '58030', // io_error
]);

/** Errors of a socket to the server. ENOENT is not in the list, because it can also be the error of a file. */
const SOCKET_ERRORS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Errors of pg, its pool and Kysely that have no code; a test provokes each of them. */
const MESSAGES = [
  'Connection terminated', // also "... unexpectedly" and "... due to connection timeout"
  'timeout exceeded when trying to connect', // the pool had no free connection in time
  'timeout expired', // a client outside the pool could not connect in time
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'driver has already been destroyed',
];

function isOutOfReach(thrown: Error, code: unknown): boolean {
  if (thrown instanceof RolledBackError) return true;
  // localhost is two addresses. If neither answers, Node reports both errors in one.
  if ('errors' in thrown && Array.isArray(thrown.errors))
    return thrown.errors.some(
      (one: unknown) => isNativeError(one) && isOutOfReach(one, (one as { code?: unknown }).code),
    );
  if (isOfPooler(thrown as { code?: unknown; routine?: unknown })) return true;
  if (typeof code === 'string') {
    if (OUT_OF_REACH.has(code) || SOCKET_ERRORS.has(code)) return true;
    if (code === 'ENOENT') return (thrown as { syscall?: unknown }).syscall === 'connect';
    return false;
  }
  return (
    !(thrown instanceof pg.DatabaseError) && MESSAGES.some((message) => thrown.message.startsWith(message))
  );
}
