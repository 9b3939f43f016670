import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes each `GymInvitation` whose latest mail was requested before this time. It works for 7 days after the mail. */
export const removeGymInvitations = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'gym_invitation', 'requested_at < ?', [before]);
