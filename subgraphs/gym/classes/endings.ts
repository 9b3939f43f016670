import type { UnitOfWork } from '#server/unit-of-work.ts';
import { cancelSessions, lockSessions, saveSessions } from './session-writes.ts';

/**
 * Cancels a user's bookings of coming sessions, for example because their membership has ended, in the open transaction,
 * which has locked the member. Those who wait get the places. The user's calendar feed is deleted, too.
 * @param gymId the gym whose bookings are cancelled; null: all gyms
 */
export async function cancelBookingsOf(
  unit: UnitOfWork,
  gymId: string | null,
  userId: string,
): Promise<void> {
  const sessions = await lockSessions(
    unit,
    `id = any(array(
       select session_id from booking
       where user_id = ? and gym_id = coalesce(?, gym_id) and status in ('BOOKED', 'WAITING') and starts_at > now()
     ))`,
    [userId, gymId],
  );
  const cancelled = await unit.run<{ id: string; sessionId: string; hadPlace: boolean }>(
    `with theirs as (
       select id as theirs_id, has_place as had_place from booking
       where session_id = any(?::uuid[]) and user_id = ? and status in ('BOOKED', 'WAITING')
     )
     update booking set status = 'CANCELLED', has_place = false, cancelled_at = clock_timestamp()
     from theirs where booking.id = theirs.theirs_id
     returning booking.id, booking.session_id as "sessionId", theirs.had_place as "hadPlace"`,
    [sessions.map(({ id }) => id), userId],
  );
  for (const session of sessions) {
    const own = cancelled.find(({ sessionId }) => sessionId === session.id);
    if (own?.hadPlace) session.booked -= 1;
    else if (own) session.waiting -= 1;
  }
  if (sessions.length > 0)
    await saveSessions(
      unit,
      sessions,
      cancelled.map(({ id }) => id),
    );
  await unit.run('delete from calendar_feed where user_id = ? and gym_id = coalesce(?, gym_id)', [
    userId,
    gymId,
  ]);
}

/**
 * Ends the classes at a location that is being closed, in the open transaction, which has locked the location. Their coming
 * sessions are cancelled, and no more sessions are made.
 */
export async function cancelSessionsAt(unit: UnitOfWork, locationId: string): Promise<void> {
  await unit.run('select 1 from gym_class where location_id = ? order by id for no key update', [locationId]);
  await unit.run(
    'update gym_class set active = false, version = version + 1 where location_id = ? and active',
    [locationId],
  );
  const sessions = await lockSessions(
    unit,
    `location_id = ? and status = 'SCHEDULED' and starts_at > now()`,
    [locationId],
  );
  if (sessions.length > 0) await cancelSessions(unit, sessions);
}
