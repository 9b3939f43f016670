import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes invitations of users with an account whose latest mail was requested before this time. They work for 7 days. */
export const removeGymInvitations = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'gym_invitation', 'requested_at < ?', [before]);
