import type { UnitOfWork } from '../unit-of-work.ts';
import type { Saga } from './saga.ts';

/** Who works on a saga, for how long unless it says that it still does. */
export interface Lease {
  /** Random, for each claim another. */
  holder: string;
  millis: number;
}

/** Runs in the transaction that stores a saga. */
export type WithinSave = (unit: UnitOfWork) => Promise<void>;

/**
 * Where sagas are kept: `saga-store.database.ts`, in the owning service's own database; `saga-store.memory.ts`, for a
 * service that keeps everything in its process.
 */
export interface SagaStore {
  /**
   * Stores a new one as part of the caller's unit of work.
   * False where there is one of that kind and subject already that is not UNDONE: nothing is stored then.
   */
  insert(saga: Saga, unit: UnitOfWork): Promise<boolean>;
  find(id: string): Promise<Saga | undefined>;
  /** The newest of each subject. */
  findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]>;
  /** Takes up to `limit` that are due and that nobody works on. Of several instances one gets each. */
  claim(kinds: readonly string[], limit: number, lease: Lease): Promise<Saga[]>;
  /** Goes on holding it; false where somebody else has it. */
  renew(id: string, lease: Lease): Promise<boolean>;
  /** Stores a change and renews the lease; false, and nothing stored, where somebody else has it. */
  save(saga: Saga, lease: Lease, within: WithinSave): Promise<boolean>;
  /** Gives it back, for whoever takes it when it is due. */
  release(saga: Saga, lease: Lease): Promise<void>;
  /**
   * Changes a saga that nobody works on, as part of the caller's unit of work. `apply` is called with the saga locked;
   * what it throws leaves everything as it was. Undefined where there is none.
   */
  change(id: string, unit: UnitOfWork, apply: (saga: Saga) => Promise<void>): Promise<Saga | undefined>;
  /** How many of these kinds wait for somebody's decision (UNDO_FAILED). */
  countWaiting(kinds: readonly string[]): Promise<Map<string, number>>;
  /** Forgets all about these subjects, e.g. when a person's data is erased. */
  remove(kind: string, subjects: readonly string[]): Promise<void>;
  /**
   * Forgets up to `limit` of this kind that finished before then, the oldest first; returns how many. Those that are
   * not finished stay, however old.
   */
  removeFinished(kind: string, before: Date, limit: number, unit: UnitOfWork): Promise<number>;
  /** Calls `listener` with the id of every saga that is stored, wherever that happens, until the returned function is called. */
  onChange(listener: (id: string) => void): () => void;
}
