import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ReservationStore } from './availability/reservation-store.ts';
import type { SessionStore } from './sessions/session-store.ts';

/**
 * The storage of this service, except for its sagas. Implementations: `storage.database.ts`, `storage.memory.ts`
 * (WIZARD_STORAGE).
 */
export interface WizardStorage {
  /** Whether all sessions are lost when the process ends. */
  readonly isInMemory: boolean;
  sessions(unit: UnitOfWork): SessionStore;
  reservations(unit: UnitOfWork): ReservationStore;
  /**
   * Runs several writes in one transaction. In memory there are no transactions, but no `await` separates a check from its
   * write.
   */
  transaction<Result>(unit: UnitOfWork, work: () => Promise<Result>): Promise<Result>;
  /**
   * Calls `listener` with the id of every session that changes at any replica, until the returned function is called. The id
   * is undefined if changes may have been missed, so that any session may have changed.
   */
  onSessionChange(listener: (sessionId: string | undefined) => void): () => void;
}
