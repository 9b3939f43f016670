import type { UnitOfWork } from '../unit-of-work.ts';
import type { Saga } from './saga.ts';

/** The right of one worker to work on a saga. It expires if the worker does not renew it. */
export interface Lease {
  /** A random id, different for each claim. */
  holder: string;
  millis: number;
}

export interface UnfinishedSagas {
  readonly running: number;
  /** Those that wait for a decision (UNDO_FAILED). */
  readonly waiting: number;
}

/** Runs in the transaction that stores the saga. */
export type WithinSave = (unit: UnitOfWork) => Promise<void>;

/**
 * The storage of sagas: `saga-store.database.ts` in the owning service's own database, `saga-store.memory.ts` for a
 * service that keeps all its state in memory.
 */
export interface SagaStore {
  /**
   * Stores a new saga as part of the caller's unit of work. Returns false, and stores nothing, if there already is a saga of
   * that kind and subject that is not UNDONE.
   */
  insert(saga: Saga, unit: UnitOfWork): Promise<boolean>;
  find(id: string): Promise<Saga | undefined>;
  /** The newest saga of each subject. */
  findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]>;
  /** Claims up to `limit` sagas that are due and have no lease. No two instances claim the same saga. */
  claim(kinds: readonly string[], limit: number, lease: Lease): Promise<Saga[]>;
  /** Extends the lease. Returns false if another worker has it. */
  renew(id: string, lease: Lease): Promise<boolean>;
  /** Stores a change and renews the lease. Returns false, and stores nothing, if another worker has the lease. */
  save(saga: Saga, lease: Lease, within: WithinSave): Promise<boolean>;
  /** Releases the lease; any worker may claim the saga when it is due. */
  release(saga: Saga, lease: Lease): Promise<void>;
  /**
   * Changes a saga as part of the caller's unit of work, and ends its lease, if it has one. `apply` is called while the saga
   * is locked; if it throws, nothing changes. Returns undefined if there is no such saga.
   */
  change(id: string, unit: UnitOfWork, apply: (saga: Saga) => Promise<void>): Promise<Saga | undefined>;
  /** The number of unfinished sagas of each of these kinds; kinds without one are absent. */
  countUnfinished(kinds: readonly string[]): Promise<Map<string, UnfinishedSagas>>;
  /** Deletes the sagas of these subjects, e.g. when a user's data is erased. */
  remove(kind: string, subjects: readonly string[]): Promise<void>;
  /**
   * Deletes up to `limit` sagas of this kind that finished before this time, the oldest first, and returns how many.
   * Unfinished sagas are never deleted.
   */
  removeFinished(kind: string, before: Date, limit: number, unit: UnitOfWork): Promise<number>;
  /**
   * Calls `listener` with the id of every saga that any instance changes, until the returned function is called. The id is
   * undefined if changes may have been missed, so that any saga may have changed.
   */
  onChange(listener: (id: string | undefined) => void): () => void;
}
