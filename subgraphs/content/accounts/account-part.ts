import type { AccountPart, RecordSource } from '#server/accounts/account-part.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { trainingKeyOf, trainingPage } from '../trainings/training-pages.ts';

/** What the content service stores about a user. The export omits the figures of trainings, because they follow from the sets. */
export const contentAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {
    trainings: trainingsOf(unit),
  },
  erase: (userId) =>
    eraseOnce(unit, userId, async () => {
      await unit.em.execute('delete from training where user_id = ?', [userId]);
      return { outcome: 'DELETED', reason: null };
    }),
});

const trainingsOf =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const rows = await trainingPage(unit, userId, { after, limit });
    return rows.map((record) => ({ key: trainingKeyOf(record), record }));
  };
