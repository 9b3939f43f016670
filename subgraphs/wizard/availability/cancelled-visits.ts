import { z } from 'zod';
import type { Saga } from '#server/saga/saga.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Lookups } from '../other-services.ts';
import type { WizardStorage } from '../storage.ts';
import type { ReservationOutcome, ReservationRequest } from './reservation-store.ts';

interface CancelledVisitsOptions {
  storage: WizardStorage;
  lookups: Pick<Lookups, 'bookedFirstVisits'>;
  /** The last deployment of each of these sessions. */
  deploymentsOf(sessionIds: readonly string[]): Promise<Saga[]>;
}

/** The part of a deployment's result that names the booking of the first visit. */
const ResultOfVisit = z.object({ slot: z.object({ bookingId: z.string() }) });

/**
 * Ends reservations of first visits whose booking was cancelled at the gym: by its staff, by the member, or by the end of the
 * membership. The gym decides about its bookings, so it is asked before a first visit is the reason for a refusal.
 */
export class CancelledVisits {
  private readonly unit: UnitOfWork;
  private readonly options: CancelledVisitsOptions;

  constructor(unit: UnitOfWork, options: CancelledVisitsOptions) {
    this.unit = unit;
    this.options = options;
  }

  /**
   * Reserves as `ReservationStore.reserve`. If existing first visits are the reason for a refusal, this ends those of them that
   * were cancelled, and tries again.
   */
  async reserve(request: ReservationRequest): Promise<ReservationOutcome> {
    const reservations = this.options.storage.reservations(this.unit);
    const outcome = await reservations.reserve(request);
    if (request.resource !== 'slot' || !(outcome === 'BOOKED' || outcome === 'RESERVED')) return outcome;
    const refusing =
      outcome === 'BOOKED'
        ? [request.memberId ? await reservations.visitOf(request.memberId) : undefined]
        : ((await reservations.holders('slot', [request.value])).get(request.value) ?? []);
    const sessionIds = refusing.filter((id) => id !== undefined && id !== request.sessionId) as string[];
    return (await this.end(sessionIds)) ? reservations.reserve(request) : outcome;
  }

  /**
   * Ends the cancelled first visits among those of these sessions. The visit of a session that is still being deployed is never
   * ended, because it may not be booked yet.
   * @returns whether one was ended
   * @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT
   */
  async end(sessionIds: readonly string[]): Promise<boolean> {
    if (sessionIds.length === 0) return false;
    const { storage, lookups, deploymentsOf } = this.options;
    const visits = (await deploymentsOf(sessionIds)).flatMap(({ subject, status, result }) => {
      const visit = status === 'DONE' ? ResultOfVisit.safeParse(result) : undefined;
      return visit?.success ? [{ sessionId: subject, bookingId: visit.data.slot.bookingId }] : [];
    });
    const booked = await lookups.bookedFirstVisits(visits.map(({ bookingId }) => bookingId));
    const cancelled = visits.filter(({ bookingId }) => !booked.has(bookingId));
    if (cancelled.length === 0) return false;
    await storage.reservations(this.unit).endVisits(cancelled.map(({ sessionId }) => sessionId));
    return true;
  }
}
