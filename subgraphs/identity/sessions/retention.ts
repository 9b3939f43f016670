import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes sessions that expired before this time, with their refresh tokens. */
export const removeExpiredSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'login_session', 'expires_at < ?', [before]);

/**
 * Removes refresh tokens that were used before this time (`RETENTION_SESSIONS_DAYS`). A second use of a token that was
 * removed is refused, but does not end the session any more.
 */
export const removeUsedTokens = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'refresh_token', 'used_at < ?', [before]);

/** Removes refusals of access tokens if all the refused tokens expired before this time. */
export const removeEndedSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'ended_session', 'refused_until < ?', [before]);

/** Removes counts of failed log-ins that last changed before this time. A lock lasts 15 minutes. */
export const removeLoginFailures = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'login_failures', 'updated_at < ?', [before]);
