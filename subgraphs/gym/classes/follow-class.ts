import { conflict } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { FollowingChange, GymClass } from './class.entity.ts';
import { weekOf } from './local-time.ts';
import { horizonOf, makeSessions, plannedSession, type ClassPlan } from './make-sessions.ts';
import { localStarts, type Recurrence } from './recurrence.ts';
import { cancelSessions, lockSessions, saveSessions, type LockedSession } from './session-writes.ts';
import type { Notice } from './mail-booking.ts';

/** The part of a change of a class that also changes its sessions. An undefined field is unchanged. */
export interface Planned {
  recurrence?: Recurrence | undefined;
  durationMinutes?: number | undefined;
  capacity?: number | undefined;
  instructor?: string | null | undefined;
}

/**
 * Changes a locked class and its coming sessions, which keep their ids and bookings. A session that staff have changed
 * individually keeps its time, capacity and instructor. If the recurrence changes, each session moves to a new start on its day,
 * or else in its week. If there is no new start for a session that staff have not changed, it is cancelled. The starts that are
 * left get new sessions.
 */
export async function followClass(
  unit: UnitOfWork,
  stored: GymClass,
  planned: Planned,
  { zone, weeksAhead }: { zone: string; weeksAhead: number },
): Promise<void> {
  const { recurrence } = planned;
  stored.following = withoutOverridden(stored.following, planned);
  stored.durationMinutes = planned.durationMinutes ?? stored.durationMinutes;
  stored.capacity = planned.capacity ?? stored.capacity;
  if (planned.instructor !== undefined) stored.instructor = planned.instructor;
  if (recurrence) [stored.startsAt, stored.rrule] = [recurrence.startsAt, recurrence.rrule];
  await unit.em.flush();
  if (Object.values(planned).every((value) => value === undefined)) return;

  const sessions = await lockSessions(unit, 'class_id = ? and starts_at > now()', [stored.id]);
  const surplus = recurrence ? await alignWith(unit, sessions, newStarts(recurrence, zone, weeksAhead)) : [];
  const unedited = sessions.filter(
    (session) => session.status === 'SCHEDULED' && !session.edited && !surplus.includes(session),
  );
  const { id, gymId, locationId, startsAt, rrule, durationMinutes, capacity, instructor, following } = stored;
  const plan: ClassPlan = {
    id,
    gymId,
    locationId,
    durationMinutes,
    capacity,
    following,
    startsAt: startsAt ?? null,
    rrule: rrule ?? null,
    instructor: instructor ?? null,
  };
  for (const session of unedited) applyClass(session, plan, zone);
  const moved = await moveBookings(unit, unedited);
  await saveSessions(unit, recurrence ? others(sessions, surplus) : unedited, moved, movedNotices(moved));
  if (surplus.length > 0) await cancelSessions(unit, surplus);
  if (recurrence) await makeSessions(unit, stored.id, weeksAhead);
}

const others = (all: readonly LockedSession[], without: readonly LockedSession[]): LockedSession[] =>
  all.filter((session) => !without.includes(session));

const newStarts = (recurrence: Recurrence, zone: string, weeksAhead: number): string[] =>
  localStarts(recurrence, zone, new Date(), horizonOf(weeksAhead));

/** Applies the class to one of its sessions. A session never moves into the past. */
function applyClass(session: LockedSession, plan: ClassPlan, zone: string): void {
  const next =
    session.occurrence && plan.startsAt ? plannedSession(plan, session.occurrence, zone) : undefined;
  setCapacity(session, next?.capacity ?? plan.capacity); // before the start changes, because a refusal names the stored start
  if (next && next.startsAt.getTime() > Date.now()) {
    session.startsAt = next.startsAt;
    session.endsAt = next.endsAt;
  } else session.endsAt = new Date(session.startsAt.getTime() + plan.durationMinutes * 60_000);
  session.instructor = next ? next.instructor : plan.instructor;
  session.version += 1;
}

/** @throws CONFLICT if more places of the session are booked */
export function setCapacity(session: LockedSession, capacity: number): void {
  if (capacity < session.booked)
    throw conflict(
      `The session at ${session.startsAt.toISOString()} has ${session.booked} booked places, so it cannot have only ${capacity}. Cancel bookings first.`,
    );
  session.capacity = capacity;
}

/**
 * Gives each session its new occurrence: a start on its day, or else in its week. Sessions that staff have cancelled with the
 * scope FOLLOWING get none.
 * @returns the scheduled sessions that staff have not edited and for which there is no new occurrence
 */
async function alignWith(
  unit: UnitOfWork,
  sessions: readonly LockedSession[],
  starts: readonly string[],
): Promise<LockedSession[]> {
  // A session may get the occurrence of another one. The unique index would refuse this if the old occurrences were still
  // stored.
  await unit.run('update class_session set occurrence = null where id = any(?::uuid[])', [
    sessions.map(({ id }) => id),
  ]);
  const left = new Set(starts);
  const recurring = sessions
    .flatMap((session) => (session.occurrence ? [{ session, before: session.occurrence }] : []))
    .toSorted((a, b) => (a.before < b.before ? -1 : 1));
  for (const { session } of recurring) session.occurrence = null;
  for (const key of [dayOf, weekOf]) {
    const byKey = Map.groupBy([...left].toSorted(), key);
    for (const { session, before } of recurring) {
      // Staff had cancelled all sessions from one on (scope FOLLOWING). A new rule also replaces this change, so the starts get
      // new sessions.
      if (session.occurrence !== null || (session.status === 'CANCELLED' && !session.edited)) continue;
      const next = byKey.get(key(before))?.shift();
      if (next === undefined) continue;
      left.delete(next);
      session.occurrence = next;
    }
  }
  return recurring
    .map(({ session }) => session)
    .filter(({ occurrence, status, edited }) => occurrence === null && status === 'SCHEDULED' && !edited);
}

const dayOf = (local: string): string => local.slice(0, 10);

/** Writes the new starts of sessions into their bookings. @returns the ids of the moved bookings that are BOOKED or WAITING */
export async function moveBookings(unit: UnitOfWork, sessions: readonly LockedSession[]): Promise<string[]> {
  const rows = await unit.run<{ id: string; status: string }>(
    `update booking set starts_at = given.starts_at
     from unnest(?::uuid[], ?::timestamptz[]) as given (session_id, starts_at)
     where booking.session_id = given.session_id and booking.starts_at <> given.starts_at
     returning booking.id, booking.status`,
    [sessions.map(({ id }) => id), sessions.map(({ startsAt }) => startsAt)],
  );
  return rows.filter(({ status }) => status === 'BOOKED' || status === 'WAITING').map(({ id }) => id);
}

export const movedNotices = (bookingIds: readonly string[]): ReadonlyMap<string, Notice> =>
  new Map(bookingIds.map((id) => [id, 'SESSION_MOVED']));

/** The changes in `following`, without the fields that a change of the whole class replaces. */
function withoutOverridden(following: readonly FollowingChange[], planned: Planned): FollowingChange[] {
  return following
    .map(({ from, shiftMinutes, durationMinutes, capacity, instructor, cancelled }) => ({
      from,
      ...(!planned.recurrence && shiftMinutes !== undefined && { shiftMinutes }),
      ...(!planned.recurrence && cancelled && { cancelled }),
      ...(planned.durationMinutes === undefined && durationMinutes !== undefined && { durationMinutes }),
      ...(planned.capacity === undefined && capacity !== undefined && { capacity }),
      ...(planned.instructor === undefined && instructor !== undefined && { instructor }),
    }))
    .filter((change) => Object.keys(change).length > 1);
}
