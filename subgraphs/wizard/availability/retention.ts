import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { WizardStorage } from '../storage.ts';

/**
 * Removes up to 1,000 reservations that are over, and first visits from before then; returns how many. Whoever calls
 * repeats it until it gives less.
 */
export const removeReservations =
  (storage: WizardStorage) =>
  (unit: UnitOfWork, visitsBefore: Date): Promise<number> =>
    storage.reservations(unit).purge(visitsBefore);
