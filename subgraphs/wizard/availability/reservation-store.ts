import type { Resource } from './resources.ts';

export interface ReservationRequest {
  resource: Resource;
  /** In its canonical form. */
  value: string;
  sessionId: string;
  /** How many sessions may have this value at once. */
  places: number;
  until: Date;
  /** Of a first visit: whose. A member holds one: what they only held for another session is released. */
  memberId?: string | null | undefined;
  /** Of a first visit that is agreed on, so that the gym's staff expect it. */
  visit?: { gymId: string; startsAt: Date } | undefined;
}

/** RESERVED: others hold all places. BOOKED: the member has another first visit. GONE: the session is cancelled or gone. */
export type ReservationOutcome = 'HELD' | 'RESERVED' | 'BOOKED' | 'GONE';

/** A first visit that is agreed on. */
export interface FirstVisit {
  sessionId: string;
  userId: string;
  locationId: string;
  startsAt: Date;
}

export interface FirstVisitsFilter {
  gymId: string;
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
  limit: number;
}

/**
 * What sessions hold for a time, so that nobody else gets it meanwhile: of each resource one value a session.
 * `reservation-store.database.ts`, where constraints see to it; `reservation-store.memory.ts`.
 */
export interface ReservationStore {
  /**
   * The place is the session's until then; what it held of this resource before is free again. Everything stays as it
   * was unless the outcome is HELD. Repeated by the same session it is made longer.
   */
  reserve(request: ReservationRequest): Promise<ReservationOutcome>;
  /** Which sessions hold each of these values now. */
  holders(resource: Resource, values: readonly string[]): Promise<Map<string, string[]>>;
  /** First visits of sessions that are deployed, the earliest first. */
  firstVisits(filter: FirstVisitsFilter): Promise<FirstVisit[]>;
  /** Holds what the session has until then, and no first visit is agreed on any more; null: as long as it is not released. */
  extend(sessionId: string, until: Date | null): Promise<void>;
  /** Gives back what the session holds, but for that resource. */
  release(sessionId: string, except?: Resource): Promise<void>;
  /** Forgets what is over: up to 1,000 that nobody can use, and first visits from before then; returns how many. */
  purge(visitsBefore: Date): Promise<number>;
}
