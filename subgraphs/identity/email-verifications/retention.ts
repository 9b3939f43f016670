import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes mails to verify an email that were requested before this time. Their tokens work for 24 hours. */
export const removeEmailVerifications = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'email_verification', 'requested_at < ?', [before]);
