import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Removes password resets and mails of invitations that were requested before this time. The token of an invitation works
 * for 7 days.
 */
export const removePasswordResets = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'password_reset', 'requested_at < ?', [before]);
