import type { SagaStore } from '#server/saga/saga-store.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DELETION_SAGA } from './deletion-saga.ts';

/** The most rows that one call removes; the caller repeats it until a call removes fewer. */
const BATCH = 1_000;

/** Removes sagas of deletions that finished before this time. Their receipts stay, because they keep demo accounts from being created again. */
export const removeFinishedDeletions =
  (store: SagaStore) =>
  (unit: UnitOfWork, before: Date): Promise<number> =>
    store.removeFinished(DELETION_SAGA, before, BATCH, unit);
