import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Rows that one call removes at most; whoever calls repeats it until it gives less. */
const BATCH = 1_000;

/** Log-ins that could be refreshed until before then, with their refresh tokens. */
export const removeExpiredSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removed(unit, 'login_session', 'id', 'expires_at', before);

/** Refresh tokens that were used before then. One that could still live must stay, so that its reuse is noticed: 30 days. */
export const removeUsedTokens = (unit: UnitOfWork, before: Date): Promise<number> =>
  removed(unit, 'refresh_token', 'hash', 'used_at', before);

/** Ended sessions whose access tokens have all expired before then. */
export const removeEndedSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removed(unit, 'ended_session', 'session_id', 'refused_until', before);

/** Failed log-ins that were counted last before then. A lock lasts 15 minutes. */
export const removeLoginFailures = (unit: UnitOfWork, before: Date): Promise<number> =>
  removed(unit, 'login_failures', 'key', 'updated_at', before);

async function removed(
  unit: UnitOfWork,
  table: string,
  key: string,
  column: string,
  before: Date,
): Promise<number> {
  const rows = await unit.em.execute<unknown[]>(
    `delete from ${table} where ${key} in (
       select ${key} from ${table} where ${column} < ? order by ${column} limit ${BATCH} for update skip locked
     ) returning 1`,
    [before],
  );
  return rows.length;
}
