import type { Resource } from './resources.ts';

export interface ReservationRequest {
  resource: Resource;
  /** The value in its canonical form. */
  value: string;
  sessionId: string;
  /** How many sessions may reserve this value at once. */
  places: number;
  until: Date;
  /**
   * The member of a first visit. A member has at most one first visit: a reservation by another session of theirs is
   * released, unless it is a firm first visit that is not over, or a deployment uses it; then the outcome is BOOKED.
   */
  memberId?: string | null | undefined;
  /**
   * Set for a firm first visit, which the gym's staff can see. Only the deployment of the session books one; any other
   * reservation needs a session that its owner may change (`canChange`).
   */
  visit?: { gymId: string; startsAt: Date } | undefined;
}

/**
 * HELD: the session has the reservation. RESERVED: other sessions have all places. BOOKED: the member has another first visit
 * that is firm or being deployed. CLOSED: the session can no longer be changed, for example because it is being deployed.
 * GONE: the session is cancelled or removed.
 */
export type ReservationOutcome = 'HELD' | 'RESERVED' | 'BOOKED' | 'CLOSED' | 'GONE';

/** A firm first visit. */
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
  /** Only visits that come after this one in the list; undefined: from the beginning. */
  after?: Pick<FirstVisit, 'startsAt' | 'sessionId'> | undefined;
  limit: number;
}

/**
 * Reservations of sessions, for a limited time: each session reserves one value of each resource.
 * Implementations: `reservation-store.database.ts`, where constraints ensure this; `reservation-store.memory.ts`.
 */
export interface ReservationStore {
  /**
   * Reserves a place for the session until that time, and releases its earlier reservation of this resource. Nothing changes
   * unless the outcome is HELD. A repetition by the same session extends the reservation.
   */
  reserve(request: ReservationRequest): Promise<ReservationOutcome>;
  /** The sessions that have reserved each of these values now. */
  holders(resource: Resource, values: readonly string[]): Promise<Map<string, string[]>>;
  /** The session of the member's firm first visit that is not over; undefined if they have none. */
  visitOf(memberId: string): Promise<string | undefined>;
  /** Ends the firm first visits of these sessions now: they no longer have their places, and stay in the list of staff. */
  endVisits(sessionIds: readonly string[]): Promise<void>;
  /**
   * First visits of deployed sessions, the earliest first; visits at the same time are in the order of their sessions' ids.
   */
  firstVisits(filter: FirstVisitsFilter): Promise<FirstVisit[]>;
  /**
   * Sets the end of all reservations of the session. With a time, the session's first visit is no longer firm; with null,
   * the reservations stay until they are released.
   */
  extend(sessionId: string, until: Date | null): Promise<void>;
  /** Releases the session's reservations, except the one of the resource `except`. */
  release(sessionId: string, except?: Resource): Promise<void>;
  /**
   * Removes up to 1,000 rows: reservations that have expired, and first visits that ended before this time.
   * @returns the number of removed rows
   */
  purge(visitsBefore: Date): Promise<number>;
}
