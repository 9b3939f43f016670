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

/**
 * The time at which every token that was issued until now has expired. The minute is for a token that was issued just after a
 * change of role or gym: such a token is dated slightly in the future.
 */
const whenAllTokensHaveExpired = (): Date => new Date(Date.now() + (ACCESS_TOKEN_SECONDS + 60) * 1000);

/** Ends all sessions of a user. Lock the account first, so that no session is added in the meantime. */
export async function endAllSessionsOf(em: EntityManager, userId: string): Promise<void> {
  await endSessions(em, await sessionIdsOf(em, userId));
}

/** Ends all sessions of a user but one. */
export async function endOtherSessionsOf(em: EntityManager, userId: string, keptId: string): Promise<void> {
  await endSessions(
    em,
    (await sessionIdsOf(em, userId)).filter((id) => id !== keptId),
  );
}

/**
 * Refuses the access tokens that a user got before a change of role or gym. Their sessions continue, and need a token with the
 * new role and gym. The times in tokens are whole seconds: tokens that were issued in the second of the change count as old,
 * and new tokens are dated later (`AccessTokens.ofUser`).
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

/**
 * Whether an access token is refused.
 * @param sessionId of the token's session or machine client
 * @param expiresAt when the token expires, in milliseconds since 1970
 */
export async function isRefused(em: EntityManager, sessionId: string, expiresAt: number): Promise<boolean> {
  const rows = await read(em, 'select 1 from ended_session where session_id = ? and refused_until > ?', [
    sessionId,
    new Date(expiresAt),
  ]);
  return rows.length > 0;
}

const PAGE = 5_000; // rows
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The sessions and machine clients whose access tokens became invalid since the last read.
 *
 * The rows are ordered by the transactions that wrote them. A transaction may commit after others that began later. So the
 * next read starts at the oldest transaction that was running when this read began: no row is missed, and some are sent twice.
 * Reading by a clock or a sequence would miss rows.
 *
 * A cursor is `<oldest>`, that transaction. If there are more rows, it is `<transaction>:<session>:<oldest>`: the next read
 * starts after this row, and the read after the last page at `<oldest>`.
 * @param since `next` of the last answer; undefined for all rows
 * @throws VALIDATION_FAILED at `since`
 */
export async function endedSince(em: EntityManager, since: string | undefined): Promise<EndedSessionsShape> {
  const cursor =
    since === undefined ? undefined : /^(\d{1,19})(?::([0-9a-f-]{36})(?::(\d{1,19}))?)?$/.exec(since);
  if (cursor === null) throw invalid('since', 'expected the "next" of an earlier answer');
  const [horizon] = await em.execute<{ oldest: string; next: string }[]>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as next',
  );
  // A cursor with a transaction that does not exist yet comes from another database, or from the time before a backup was
  // restored: the list then starts from the beginning.
  const isKnown = cursor !== undefined && BigInt(cursor[1] ?? 0) <= BigInt(horizon?.next ?? 0);
  const [transaction, id] = isKnown ? [cursor[1] ?? '0', cursor[2] ?? FIRST_ID] : ['0', FIRST_ID];
  const oldest = (isKnown ? cursor[3] : undefined) ?? horizon?.oldest ?? '0';
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
  // Sorted, so that two transactions that refuse the tokens of the same sessions cannot deadlock.
  await em.execute(
    `insert into ended_session (session_id, refused_until) select id, ?::timestamptz from unnest(?::uuid[]) id order by id
     on conflict (session_id) do update
       set refused_until = greatest(ended_session.refused_until, excluded.refused_until), transaction = pg_current_xact_id()`,
    [refusedUntil, `{${[...new Set(ids)].join()}}`],
  );
}
