import { isSettled } from './saga.ts';
import { runSaga, type SagaRunOptions } from './saga-run.ts';
import type { Lease, SagaStore } from './saga-store.ts';

interface SagaWork extends Omit<SagaRunOptions, 'save'> {
  store: SagaStore;
  /** The lease under which the saga was claimed. */
  lease: Lease;
}

/**
 * Runs the actions of a claimed saga that are due, and releases the saga.
 * @throws Error if the saga could not be stored, or if another worker has it now; no further action is then run
 */
export async function workOn({ store, lease, ...run }: SagaWork): Promise<void> {
  const { saga, definition, log } = run;
  await runSaga({
    ...run,
    save: async () => {
      const isSaved = await store.save(saga, lease, async (unit) => definition.onChange?.(saga, unit));
      if (!isSaved) throw new Error('Another instance has taken this saga over.');
    },
  });
  if (!isSettled(saga)) await store.release(saga, lease);
  if (saga.status === 'UNDO_FAILED')
    log.error(
      {
        saga: saga.id,
        kind: saga.kind,
        subject: saga.subject,
        left: saga.actions
          .filter(({ isUndoGivenUp }) => isUndoGivenUp)
          .map(({ name, service, undoError }) => ({ action: name, service, error: undoError })),
      },
      'a saga could not be fully undone; it waits for a decision: RETRY, or ACCEPT the actions that are not undone',
    );
}
