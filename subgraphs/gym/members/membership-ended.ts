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

/** Ends what an ended membership allowed in this service. */
export class EndedMemberships {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Ends the user's open visit, their part in challenges, their orders and their bookings at the gym, in one transaction; a
   * repetition changes nothing. For the identity service.
   */
  async end(input: unknown): Promise<void> {
    requireIdentity(this.unit.viewer);
    const { userId, gymId, before } = validated(MembershipEndShape, input);
    await this.unit.transaction(async () => {
      await lockMember(this.unit, userId);
      // These calls lock rows in the same order as all other rules. If the user has joined again (`before` is set), orders and
      // bookings stay, because they may belong to the new membership.
      if (before === null) await cancelOrdersOf(this.unit, gymId, userId);
      await endVisit(this.unit, gymId, userId, before);
      await leaveChallenges(this.unit, gymId, userId, before);
      if (before === null) await cancelBookingsOf(this.unit, gymId, userId);
    });
  }
}

/**
 * Ends the user's open visit, so that the location has room at once.
 * @param before only a visit that began before this time; null: any
 */
async function endVisit(
  unit: UnitOfWork,
  gymId: string,
  userId: string,
  before: string | null,
): Promise<void> {
  const visits = `gym_id = ? and user_id = ? and checked_in_at < coalesce(?::timestamptz, 'infinity')`;
  const values = [gymId, userId, before];
  const locations = await lockLocations(
    unit,
    `id = any(array(select location_id from check_in where ${visits} and checked_out_at is null))`,
    values,
  );
  const ended = await endVisits(unit, visits, values, 'MANUAL');
  await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, locations))]);
}

/**
 * Removes the user from the challenges of the gym, except those that have ended, whose scores stay. Rows are locked in the
 * order in which check-ins lock them to change scores.
 * @param before only challenges that the user joined before this time; null: any
 */
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
