import type { Resource } from './resources.ts';

export interface ReservationRequest {
  resource: Resource;
  /** In its canonical form. */
  value: string;
  sessionId: string;
  /** How many sessions may have this value at once. */
  places: number;
  until: Date;
}

/**
 * What sessions hold for a time, so that nobody else gets it meanwhile: of each resource one value a session.
 * `reservation-store.database.ts`, where constraints see to it; `reservation-store.memory.ts`.
 */
export interface ReservationStore {
  /**
   * The place is the session's until then; what it held of this resource before is free again. False, and everything
   * as it was, where all places are taken. Repeated by the same session it is made longer.
   */
  reserve(request: ReservationRequest): Promise<boolean>;
  /** Which sessions hold each of these values now. */
  holders(resource: Resource, values: readonly string[]): Promise<Map<string, string[]>>;
  /** Holds what the session has until then; null: as long as it is not released. */
  extend(sessionId: string, until: Date | null): Promise<void>;
  /** Gives back what the session holds, but for that resource. */
  release(sessionId: string, except?: Resource): Promise<void>;
  /** Forgets one batch of what is over, and says how many. */
  purge(): Promise<number>;
}
