import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes mails to staff that were stored before this time. The last attempt to send a mail is 22 h after the first one. */
export const removeStaffMails = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'staff_mail', 'stored_at < ?', [before]);
