import type { UnitOfWork } from '#server/unit-of-work.ts';
import { movedNotices, moveBookings } from './follow-class.ts';
import { PLAN, plannedSession, type ClassPlan } from './make-sessions.ts';
import { lockSessions, saveSessions, type LockedSession } from './session-writes.ts';

/**
 * Moves the coming sessions at a location to its new time zone, in the open transaction, which has locked the location. The
 * sessions keep their local times, ids and bookings; the members with an open booking get a mail. A session keeps its
 * instant if staff have changed it individually, if it follows no rule, or if its new start would be in the past.
 */
export async function moveSessionsToZone(unit: UnitOfWork, locationId: string, zone: string): Promise<void> {
  const plans = await unit.run<ClassPlan>(
    `select ${PLAN} from gym_class where location_id = ? and active and starts_at is not null order by id for no key update`,
    [locationId],
  );
  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  const sessions = await lockSessions(
    unit,
    `location_id = ? and status = 'SCHEDULED' and not edited and occurrence is not null and starts_at > now()`,
    [locationId],
  );
  const moved = sessions.filter((session) => moveTo(zone, session, byId.get(session.classId)));
  if (moved.length === 0) return;
  const bookings = await moveBookings(unit, moved);
  await saveSessions(unit, moved, bookings, movedNotices(bookings));
}

/** Gives a session its start in the zone. @returns whether it was moved */
function moveTo(zone: string, session: LockedSession, plan: ClassPlan | undefined): boolean {
  const next = plan && session.occurrence ? plannedSession(plan, session.occurrence, zone) : undefined;
  if (!next || next.startsAt.getTime() <= Date.now()) return false;
  if (next.startsAt.getTime() === session.startsAt.getTime()) return false;
  session.startsAt = next.startsAt;
  session.endsAt = next.endsAt;
  session.version += 1;
  return true;
}
