import type { MigrationDeclaration } from '../database/database.ts';
import { CreateSaga } from './migrations/20261121100000_saga.ts';
import { SagaUndoFailed } from './migrations/20261123000100_saga_undo_failed.ts';
import { SagaRow } from './saga.entity.ts';

/** For the `database.ts` of a service that owns sagas: added to its own entities. */
export const sagaEntities = [SagaRow];

/**
 * For the `migrations/index.ts` of a service that owns sagas, at the position in time at which it began to own them.
 * Never change a released migration: add another one.
 */
export const sagaMigrations: MigrationDeclaration[] = [
  { name: '20261121100000_saga', class: CreateSaga },
  { name: '20261123000100_saga_undo_failed', class: SagaUndoFailed },
];
