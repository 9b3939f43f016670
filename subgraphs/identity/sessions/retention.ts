import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Log-ins that could be refreshed until before then, with their refresh tokens. */
export const removeExpiredSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'login_session', 'expires_at < ?', [before]);

/** Refresh tokens that were used before then. One that could still live must stay, so that its reuse is noticed: 30 days. */
export const removeUsedTokens = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'refresh_token', 'used_at < ?', [before]);

/** Ended sessions whose access tokens have all expired before then. */
export const removeEndedSessions = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'ended_session', 'refused_until < ?', [before]);

/** Failed log-ins that were counted last before then. A lock lasts 15 minutes. */
export const removeLoginFailures = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'login_failures', 'updated_at < ?', [before]);
