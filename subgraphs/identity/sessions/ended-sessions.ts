import type { EntityManager } from '@mikro-orm/postgresql';
import { secondsOf } from './access-tokens.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';

/** Refuses from now on the access tokens that these sessions were given so far; the reader of the transaction's commit sees it. */
export async function refuseTokensOf(em: EntityManager, sessionIds: readonly string[], now = Date.now()): Promise<void> {
  if (sessionIds.length === 0) return;
  // Times in tokens are whole seconds: one that is issued in this second still counts as given so far.
  const refusedUntil = new Date((secondsOf(now) + 1 + ACCESS_TOKEN_SECONDS) * 1000);
  for (const sessionId of sessionIds) {
    await em.execute(
      `insert into ended_session (session_id, refused_until) values (?, ?)
       on conflict (session_id) do update set refused_until = greatest(ended_session.refused_until, excluded.refused_until), transaction = pg_current_xact_id()`,
      [sessionId, refusedUntil],
    );
  }
}

/** Whether the session's token that expires then is refused. */
export async function isRefused(em: EntityManager, sessionId: string, expiresAt: number): Promise<boolean> {
  const rows = await em.execute<unknown[]>('select 1 from ended_session where session_id = ? and refused_until > ?', [sessionId, new Date(expiresAt)]);
  return rows.length > 0;
}
