import { requireIdentity } from '#server/accounts/account-data.ts';
import { MembershipEndShape } from '#server/accounts/membership-end.shapes.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { lockMember } from '../check-ins/member-lock.ts';
import { closedEvents, endVisits } from '../check-ins/visits.ts';
import { cancelBookingsOf } from '../classes/endings.ts';
import { lockLocations } from '../locations/location-locks.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import { cancelOrdersOf } from '../orders/cancel-orders.ts';

/** What a membership allowed in this service, and what therefore ends with it. */
export class EndedMemberships {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Ends everything in one transaction; a repetition changes nothing. For the identity service. */
  async end(input: unknown): Promise<void> {
    requireIdentity(this.unit.viewer);
    const { userId, gymId, before } = validated(MembershipEndShape, input);
    await this.unit.transaction(async () => {
      await lockMember(this.unit, userId);
      // In the order in which the rules lock their rows. If the user has joined again (`before` is set), orders and bookings
      // stay, because they may belong to the new membership.
      if (before === null) await cancelOrdersOf(this.unit, gymId, userId);
      await endVisit(this.unit, gymId, userId, before);
      await leaveChallenges(this.unit, gymId, userId, before);
      if (before === null) await cancelBookingsOf(this.unit, gymId, userId);
    });
  }
}

/**
 * Ends the open visit, so that the location has room at once.
 * @param before only a visit that began before this time; null: any
 */
async function endVisit(
  unit: UnitOfWork,
  gymId: string,
  userId: string,
  before: string | null,
): Promise<void> {
  const open = `gym_id = ? and user_id = ? and checked_in_at < coalesce(?::timestamptz, 'infinity')`;
  const values = [gymId, userId, before];
  const locations = await lockLocations(
    unit,
    `id = any(array(select location_id from check_in where ${open} and checked_out_at is null))`,
    values,
  );
  const ended = await endVisits(unit, open, values, 'MANUAL');
  await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, locations))]);
}

/** The scores of challenges that have ended stay. Locks are taken in the order in which check-ins change scores. */
async function leaveChallenges(
  unit: UnitOfWork,
  gymId: string,
  userId: string,
  before: string | null,
): Promise<void> {
  const joined = await unit.em.execute<{ id: string }[]>(
    `select id from challenge
     where id = any(array(
       select challenge_id from challenge_participant
       where user_id = ? and joined_at < coalesce(?::timestamptz, 'infinity')
     )) and gym_id = ? and ends_at > now()
     order by id for key share`,
    [userId, before, gymId],
  );
  for (const { id } of joined)
    await unit.em.execute('delete from challenge_participant where challenge_id = ? and user_id = ?', [
      id,
      userId,
    ]);
}
