import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { WizardStorage } from '../storage.ts';

/**
 * Removes up to 1,000 rows, expired reservations and first visits that ended before this time; returns how many. The caller
 * repeats it until a call removes fewer.
 */
export const removeReservations =
  (storage: WizardStorage) =>
  (unit: UnitOfWork, visitsBefore: Date): Promise<number> =>
    storage.reservations(unit).purge(visitsBefore);
