import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ReservationStore } from './availability/reservation-store.ts';
import type { SessionStore } from './sessions/session-store.ts';

/** Everything that this service keeps, but for its sagas. `storage.database.ts`, `storage.memory.ts` (WIZARD_STORAGE). */
export interface WizardStorage {
  /** Gone with the process. */
  readonly isInMemory: boolean;
  sessions(unit: UnitOfWork): SessionStore;
  reservations(unit: UnitOfWork): ReservationStore;
  /** Several writes that are one. In memory nothing comes between, so that whoever checks first has it already. */
  transaction<Result>(unit: UnitOfWork, work: () => Promise<Result>): Promise<Result>;
  /** Calls `hear` with the id of every session that changes, on whichever replica, until the returned function is called. */
  onSessionChange(hear: (sessionId: string) => void): () => void;
}
