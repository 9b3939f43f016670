import { atMost } from '../concurrency.ts';
import { RolledBackError } from '../database/platform-client.ts';
import { DEFAULT_POOL_MAX } from '../database/pool-size.ts';
import { isOfFailedTransaction } from '../database/refusals.ts';
import { removeRows, type RetentionRule } from '../retention/retention.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import {
  digestOf,
  IDEMPOTENCY_KEY_LIFETIME_MILLIS,
  reused,
  sealed,
  unsealed,
  type IdempotencyStore,
  type KeyedRequest,
  type StoredAnswer,
} from './idempotency.ts';

interface IdempotencyRow {
  operation: string;
  fingerprint: string;
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** Runs a keyed request as soon as fewer than the allowed number run; see `keyedRequestLimiter`. */
type KeyedRequestLimiter = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A keyed request occupies a connection from its first statement to its last, also while a password is hashed or another
 * service is called (docs/decisions/0012-keyed-requests-hold-a-connection.md). So keyed requests get at most half of the
 * pool. The other half is for all other requests, and for the second connection that a keyed request may need.
 */
export const keyedRequestLimiter = (poolMax = DEFAULT_POOL_MAX): KeyedRequestLimiter =>
  atMost(Math.max(1, Math.floor(poolMax / 2)));

/**
 * Stores keys in the service's database. The key and the writes of its request are committed together, so a repeated
 * request never writes twice, and no acknowledged write is lost, also after a crash. If two requests with one key run at
 * once, the primary key makes the second wait for the first one's commit.
 */
export function databaseIdempotency(unit: UnitOfWork, limiter: KeyedRequestLimiter): IdempotencyStore {
  return {
    undoes: true,
    once: (request, perform) =>
      limiter(async () => {
        let performed: { answer: StoredAnswer | undefined } | undefined;
        try {
          return await claimed(unit, request, async () => {
            performed = undefined;
            performed = { answer: await perform() };
            return performed.answer;
          });
        } catch (error) {
          if (!(error instanceof RolledBackError) || !performed || !isRefused(performed.answer)) throw error;
          const { answer } = performed;
          // A failed statement has rolled back the transaction, with the key. A second one stores the refusal as the answer.
          return answer ? claimed(unit, request, async () => answer) : { answer, replayed: false };
        }
      }),
  };
}

/** Returns the stored answer of the key; without one, performs the request and stores its answer, in one transaction. */
function claimed(
  unit: UnitOfWork,
  request: KeyedRequest,
  perform: () => Promise<StoredAnswer | undefined>,
): Promise<{ answer: StoredAnswer | undefined; replayed: boolean }> {
  let isKept = true;
  return unit.transaction(
    async () => {
      if (!(await claim(unit, request))) return { answer: await stored(unit, request), replayed: true };
      const answer = await perform();
      if (isRefused(answer)) unit.em.clear(); // drops changes of entities that were not flushed
      isKept = answer !== undefined;
      await (answer ? keep(unit, request, answer) : free(unit, request)).catch(rolledBack);
      return { answer, replayed: false };
    },
    // If the COMMIT has happened, the repetition finds the stored answer.
    { mayRepeatCommit: () => isKept },
  );
}

const isRefused = (answer: StoredAnswer | undefined): boolean => !answer || answer.status >= 400;

/** @throws RolledBackError if PostgreSQL refused a statement because an earlier one of the transaction has failed */
function rolledBack(error: unknown): never {
  throw isOfFailedTransaction(error) ? new RolledBackError() : error;
}

async function keep(unit: UnitOfWork, request: KeyedRequest, answer: StoredAnswer): Promise<void> {
  await unit.run(
    'update idempotency_record set status = ?, headers = ?::jsonb, body = ? where caller = ? and key = ? returning 1',
    [
      answer.status,
      JSON.stringify(answer.headers),
      answer.body === null ? null : sealed(answer.body, request),
      request.caller,
      digestOf(request.key),
    ],
  );
}

async function free(unit: UnitOfWork, request: KeyedRequest): Promise<void> {
  await unit.em.execute('delete from idempotency_record where caller = ? and key = ?', [
    request.caller,
    digestOf(request.key),
  ]);
}

/** Stores the key, without an answer yet. Returns false if the key is stored already and has not expired. */
async function claim(unit: UnitOfWork, request: KeyedRequest): Promise<boolean> {
  const rows = await unit.run<unknown>(
    `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, body, created_at)
     values (?, ?, ?, ?, 0, '{}'::jsonb, null, now())
     on conflict (caller, key) do update
       set operation = excluded.operation, fingerprint = excluded.fingerprint, status = 0, created_at = now()
       where idempotency_record.created_at < now() - interval '24 hours'
     returning 1`,
    [request.caller, digestOf(request.key), request.operation, request.fingerprint],
  );
  return rows.length > 0;
}

async function stored(unit: UnitOfWork, request: KeyedRequest): Promise<StoredAnswer> {
  const [row] = await unit.run<IdempotencyRow>(
    'select operation, fingerprint, status, headers, body from idempotency_record where caller = ? and key = ?',
    [request.caller, digestOf(request.key)],
  );
  if (!row || row.operation !== request.operation || row.fingerprint !== request.fingerprint) throw reused();
  return {
    status: row.status,
    headers: row.headers,
    body: row.body === null ? null : unsealed(row.body, request),
  };
}

export const idempotencyRetention: RetentionRule = {
  what: 'idempotency_keys',
  kept: { millis: IDEMPOTENCY_KEY_LIFETIME_MILLIS },
  run: (unit, before) => removeRows(unit, 'idempotency_record', 'created_at < ?', [before]),
};
