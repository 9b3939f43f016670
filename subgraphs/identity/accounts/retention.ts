import type { SagaStore } from '#server/saga/saga-store.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DELETION_SAGA } from './deletion-saga.ts';

/** The maximum number of rows that one call removes; the caller repeats the call until it removes fewer. */
const BATCH = 1_000;

/**
 * Removes sagas of deletions that finished before this time. Their receipts stay for ever: they are the record of the deletion,
 * and a start with demo data does not create an account again that has a receipt.
 */
export const removeFinishedDeletionSagas =
  (store: SagaStore) =>
  (unit: UnitOfWork, before: Date): Promise<number> =>
    store.removeFinished(DELETION_SAGA, before, BATCH, unit);
