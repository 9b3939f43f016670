import type { MigrationDeclaration } from '../database/database.ts';
import { CreateSaga } from './migrations/20261121100000_saga.ts';
import { SagaUndoFailed } from './migrations/20261123000100_saga_undo_failed.ts';
import { SagaRow } from './saga.entity.ts';

/** The entities that a service with sagas adds to its own in its `database.ts`. */
export const sagaEntities = [SagaRow];

/**
 * The migrations that a service with sagas adds to its `migrations/index.ts`, at the position of the release in which it got
 * its first saga. Never change a released migration: add another one.
 */
export const sagaMigrations: MigrationDeclaration[] = [
  { name: '20261121100000_saga', class: CreateSaga },
  { name: '20261123000100_saga_undo_failed', class: SagaUndoFailed },
];
