import type { AccountPart } from '#server/accounts/account-part.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Exercises, routines and products contain nothing about users, so there is nothing to export. An erasure only stores its record. */
export const contentAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {},
  erase: (userId) => eraseOnce(unit, userId, async () => ({ outcome: 'DELETED', reason: null })),
});
