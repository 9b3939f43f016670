import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Wishes for a new password, and invitations' mails, from before then. The token of an invitation works for 7 days. */
export const removePasswordResets = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'password_reset', 'requested_at < ?', [before]);
