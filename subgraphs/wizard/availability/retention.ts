import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { WizardStorage } from '../storage.ts';

/**
 * Removes up to 1,000 rows: reservations that have expired, and first visits that ended before `visitsBefore`. The caller
 * repeats the call until it removes fewer rows.
 * @returns the number of removed rows
 */
export const removeReservations =
  (storage: WizardStorage) =>
  (unit: UnitOfWork, visitsBefore: Date): Promise<number> =>
    storage.reservations(unit).purge(visitsBefore);
