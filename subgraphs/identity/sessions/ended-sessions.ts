import type { EntityManager } from '@mikro-orm/postgresql';
import { read } from '#server/database/read.ts';
import { invalid } from '#server/errors.ts';
import { secondsOf } from './access-tokens.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import type { EndedSessionsShape } from './sessions.shapes.ts';

/** Ends these sessions: they cannot be refreshed, and their access tokens are refused. */
export async function endSessions(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await em.execute('delete from login_session where id in (?)', [[...ids]]);
  await refuseTokensOf(em, ids, whenAllTokensHaveExpired());
}

/** The lifetime of a token and a minute: a token that is issued just after a change of role or gym is dated slightly ahead. */
const whenAllTokensHaveExpired = (): Date => new Date(Date.now() + (ACCESS_TOKEN_SECONDS + 60) * 1000);

/** Ends all sessions of a user. The calling code has locked the account's row, so that no session is added in the meantime. */
export async function endAllSessionsOf(em: EntityManager, userId: string): Promise<void> {
  await endSessions(em, await sessionIdsOf(em, userId));
}

/** Ends all sessions but one. */
export async function endOtherSessionsOf(em: EntityManager, userId: string, keptId: string): Promise<void> {
  await endSessions(
    em,
    (await sessionIdsOf(em, userId)).filter((id) => id !== keptId),
  );
}

/**
 * After a change of role or gym, sessions continue but need an access token with the new role and gym. The times in tokens
 * are whole seconds: tokens that were issued in the second of the change count as old, and new tokens have a later second.
 */
export async function refuseOlderTokensOf(
  em: EntityManager,
  userId: string,
  rightsChangedAt: Date,
): Promise<void> {
  const firstSecond = secondsOf(rightsChangedAt.getTime()) + 1;
  await refuseTokensOf(
    em,
    await sessionIdsOf(em, userId),
    new Date((firstSecond + ACCESS_TOKEN_SECONDS) * 1000),
  );
}

/** Whether the session's token that expires at this time (in milliseconds) is refused. */
export async function isRefused(em: EntityManager, sessionId: string, expiresAt: number): Promise<boolean> {
  const rows = await read(em, 'select 1 from ended_session where session_id = ? and refused_until > ?', [
    sessionId,
    new Date(expiresAt),
  ]);
  return rows.length > 0;
}

const PAGE = 5_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The sessions of which access tokens became invalid since the last read, because the session ended or the rights of its user
 * changed; `since` is `next` of the last answer.
 *
 * The rows are ordered by the transactions that wrote them. A running transaction becomes visible later than younger ones,
 * so the next read starts at the oldest transaction that was running when this one began: no row is missed, and some are sent
 * twice. Reading by a clock or a sequence would miss rows. A cursor is that transaction; if there are more rows, it is the last
 * row (`transaction:session`) and the transaction at which the read after the last page starts.
 */
export async function endedSince(em: EntityManager, since: string | undefined): Promise<EndedSessionsShape> {
  const cursor =
    since === undefined ? undefined : /^(\d{1,19})(?::([0-9a-f-]{36})(?::(\d{1,19}))?)?$/.exec(since);
  if (cursor === null) throw invalid('since', 'expected the "next" of an earlier answer');
  const [horizon] = await em.execute<{ oldest: string; next: string }[]>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as next',
  );
  // A cursor with a transaction that does not exist yet is of another database, or older than a restore of a backup: the
  // list then starts from the beginning.
  const isOurs = cursor !== undefined && BigInt(cursor[1] ?? 0) <= BigInt(horizon?.next ?? 0);
  const [transaction, id] = isOurs ? [cursor[1] ?? '0', cursor[2] ?? FIRST_ID] : ['0', FIRST_ID];
  const oldest = (isOurs ? cursor[3] : undefined) ?? horizon?.oldest ?? '0';
  const rows = await em.execute<{ id: string; refusedUntil: Date | string; transaction: string }[]>(
    `select session_id as id, refused_until as "refusedUntil", transaction::text as transaction from ended_session
     where (transaction, session_id) > (?::text::xid8, ?::uuid) and refused_until > now()
     order by ended_session.transaction, session_id limit ?`,
    [transaction, id, PAGE],
  );
  const last = rows.at(-1);
  const more = last !== undefined && rows.length === PAGE;
  return {
    sessions: rows.map((row) => ({ id: row.id, refusedUntil: new Date(row.refusedUntil).toISOString() })),
    next: more ? `${last.transaction}:${last.id}:${oldest}` : oldest,
    more,
  };
}

/** Makes all services refuse the access tokens of deleted machine clients, as they refuse those of ended sessions. */
export const refuseTokensOfClients = (em: EntityManager, ids: readonly string[]): Promise<void> =>
  refuseTokensOf(em, ids, whenAllTokensHaveExpired());

async function sessionIdsOf(em: EntityManager, userId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>('select id from login_session where user_id = ?', [userId]);
  return rows.map(({ id }) => id);
}

async function refuseTokensOf(em: EntityManager, ids: readonly string[], refusedUntil: Date): Promise<void> {
  if (ids.length === 0) return;
  // Sorted, so that two transactions that refuse the same tokens do not wait for each other.
  await em.execute(
    `insert into ended_session (session_id, refused_until) select id, ?::timestamptz from unnest(?::uuid[]) id order by id
     on conflict (session_id) do update
       set refused_until = greatest(ended_session.refused_until, excluded.refused_until), transaction = pg_current_xact_id()`,
    [refusedUntil, `{${[...new Set(ids)].join()}}`],
  );
}
