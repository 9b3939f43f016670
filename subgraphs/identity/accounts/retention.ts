import type { SagaStore } from '#server/saga/saga-store.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DELETION_SAGA } from './deletion-saga.ts';

/** Rows that one call removes at most; whoever calls repeats it until it gives less. */
const BATCH = 1_000;

/** The sagas of deletions that were finished before then. The receipts stay: they keep demo accounts from coming back. */
export const removeFinishedDeletions =
  (store: SagaStore) =>
  (unit: UnitOfWork, before: Date): Promise<number> =>
    store.removeFinished(DELETION_SAGA, before, BATCH, unit);
