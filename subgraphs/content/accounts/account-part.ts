import type { AccountPart } from '#server/accounts/account-part.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Routines, exercises and products belong to gyms or to everybody, and name no person: there is nothing to export, and little to erase. */
export const contentAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {},
  erase: (userId) => eraseOnce(unit, userId, async () => ({ outcome: 'DELETED', reason: null })),
});
