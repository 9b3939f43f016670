import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ReservationStore } from './availability/reservation-store.ts';
import type { SessionStore } from './sessions/session-store.ts';

/** The storage of this service, except for its sagas. `storage.database.ts`, `storage.memory.ts` (WIZARD_STORAGE). */
export interface WizardStorage {
  /** Whether everything is lost when the process ends. */
  readonly isInMemory: boolean;
  sessions(unit: UnitOfWork): SessionStore;
  reservations(unit: UnitOfWork): ReservationStore;
  /** Runs several writes as one. In memory nothing runs in between, so the first to check is the first to write. */
  transaction<Result>(unit: UnitOfWork, work: () => Promise<Result>): Promise<Result>;
  /** Calls `listener` with the id of every session that changes at any replica, until the returned function is called. */
  onSessionChange(listener: (sessionId: string) => void): () => void;
}
