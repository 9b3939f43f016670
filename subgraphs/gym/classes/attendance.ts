import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { conflict } from '#server/errors.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { BookingShape } from './bookings.shapes.ts';
import { lockSessions, saveSessions, type LockedSession } from './session-writes.ts';

/** How long before the start of a session a check-in already counts as attendance. */
const EARLY_MINUTES = 60;
/** The most sessions that one transaction ends. */
const SESSIONS_AT_ONCE = 100;

/** What staff may record. BOOKED takes back what was recorded before. */
export type Attendance = 'ATTENDED' | 'NO_SHOW' | 'BOOKED';

/**
 * Staff mark a booking of a locked session as attended or not, or as BOOKED again.
 * @throws CONFLICT if the session is cancelled or `requireTimely` refuses; if the booking is WAITING or CANCELLED; or if it
 * needs a place again, and the member has booked the session again, or none is left before its end
 */
export async function setAttendance(
  unit: UnitOfWork,
  session: LockedSession,
  { id, status: before }: Pick<BookingShape, 'id' | 'status'>,
  status: Attendance,
): Promise<void> {
  if (before === 'WAITING' || before === 'CANCELLED')
    throw conflict(`This booking is ${before}, so no attendance can be recorded for it.`);
  requireTimely(session, status);
  if (before === status) {
    // Staff confirm what a visit has recorded.
    if (status === 'ATTENDED')
      await unit.run('update booking set attended_by_staff = true where id = ?', [id]);
    return;
  }
  const [stored] = await unit.run<{ hasPlace: boolean; isRepeated: boolean }>(
    `select has_place as "hasPlace", exists (
       select 1 from booking other where other.session_id = booking.session_id and other.user_id = booking.user_id
         and other.id <> booking.id and (other.has_place or other.status in ('WAITING', 'ATTENDED'))) as "isRepeated"
     from booking where id = ?`,
    [id],
  );
  let hasPlace = stored?.hasPlace === true;
  // A booking that was cancelled too late is a NO_SHOW without a place: its place may belong to somebody else now.
  if (!hasPlace && status !== 'NO_SHOW') {
    if (stored?.isRepeated)
      throw conflict('The member has booked this session again; record the attendance of that booking.');
    hasPlace = session.booked < session.capacity;
    if (hasPlace) session.booked += 1;
    // After the end, the capacity can no longer be raised, and nobody needs a place any more: who came is ATTENDED without one.
    else if (!isOver(session)) throw conflict('The session has no place left; raise its capacity first.');
  }
  await unit.run(
    `update booking set status = ?, attended_by_staff = ?, has_place = ?,
       cancelled_at = case when ? then null else cancelled_at end where id = ?`,
    [status, status === 'ATTENDED', hasPlace, status === 'BOOKED', id],
  );
  await saveSessions(unit, [session], [id]);
}

/**
 * @throws CONFLICT if the session is cancelled, if attendance is recorded earlier than a check-in would count as attendance,
 * or if it is taken back after the end, when every booking is ATTENDED or a NO_SHOW
 */
function requireTimely(session: LockedSession, attendance: Attendance): void {
  const { status, startsAt } = session;
  if (status === 'CANCELLED')
    throw conflict('This session is cancelled, so no attendance can be recorded for it.');
  if (attendance === 'BOOKED') {
    if (isOver(session)) throw conflict('This session is over: expected ATTENDED or NO_SHOW, got BOOKED.');
    return;
  }
  if (startsAt.getTime() - EARLY_MINUTES * 60_000 > Date.now())
    throw conflict(
      `Attendance can be recorded from ${EARLY_MINUTES} minutes before the start; this session starts at ${startsAt.toISOString()}.`,
    );
}

const isOver = ({ status, endsAt }: LockedSession): boolean =>
  status === 'DONE' || endsAt.getTime() <= Date.now();

/**
 * SQL, for the statement of a check-in: adds the job `mark_attendance` if the member has a booking to which the visit may
 * belong. The job also compares the location. The values are twice the member's id, and twice the beginning of the visit.
 */
export const ATTEND_BY_VISIT = `
  select graphile_worker.add_job('mark_attendance', json_build_object('userId', ?::uuid)) from booking
  where user_id = ? and status = 'BOOKED' and starts_at <= ?::timestamptz + interval '${EARLY_MINUTES} minutes'
    and starts_at > ?::timestamptz - interval '1 day' limit 1`;

/** The values of `ATTEND_BY_VISIT`. */
export const attendByVisitValues = (userId: string, checkedInAt: Date): (string | Date)[] => [
  userId,
  userId,
  checkedInAt,
  checkedInAt,
];

/**
 * SQL condition: a visit at the location of the session makes a booking ATTENDED. The visit began before the end of the session
 * and at most 60 minutes before its start; or it began earlier and was open at the start.
 */
const HAS_VISIT = `exists (
    select 1 from check_in
    where check_in.user_id = booking.user_id and check_in.location_id = class_session.location_id
      and check_in.checked_in_at > class_session.starts_at - interval '1 day'
      and check_in.checked_in_at < class_session.ends_at
      and check_in.check_out_kind is distinct from 'UNDONE'
      and (
        check_in.checked_in_at >= class_session.starts_at - interval '${EARLY_MINUTES} minutes'
        or (class_session.starts_at <= now()
          and coalesce(check_in.checked_out_at, check_in.expires_at) > class_session.starts_at)
      )
  )`;

const ATTENDED_BOOKINGS = `
  select booking.id, booking.session_id as "sessionId" from booking join class_session on class_session.id = booking.session_id
  where booking.status = 'BOOKED' and class_session.status = 'SCHEDULED' and ${HAS_VISIT}`;

/** Marks a member's bookings as ATTENDED if a visit of theirs belongs to the session. A check-in adds this job. */
export const markAttendance = jobOf<object>()({
  name: 'mark_attendance',
  payload: z.object({ userId: uuid() }),
  maxAttempts: 5,
  async run({ userId }, { unit }) {
    await markAttended(
      unit,
      `${ATTENDED_BOOKINGS} and booking.user_id = ? and booking.starts_at <= now() + interval '${EARLY_MINUTES} minutes'
         and booking.starts_at > now() - interval '1 day'`,
      [userId],
    );
  },
});

/**
 * Every minute: marks the bookings of members who were inside at the start as ATTENDED, and ends the sessions that are over.
 * A booking of an ended session that is still BOOKED becomes a NO_SHOW; a WAITING one becomes CANCELLED.
 */
export const finishClassSessions = jobOf<object>()({
  name: 'finish_class_sessions',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unitOf, signal }) {
    const running = await unitOf().read<{ id: string }>(
      `select id from class_session where status = 'SCHEDULED' and starts_at <= now() and starts_at > now() - interval '1 day' and booked > 0`,
      [],
    );
    if (running.length > 0)
      await markAttended(unitOf(), `${ATTENDED_BOOKINGS} and class_session.id = any(?::uuid[])`, [
        running.map(({ id }) => id),
      ]);
    let finished = SESSIONS_AT_ONCE;
    while (finished === SESSIONS_AT_ONCE && !signal.aborted) finished = await finishSessions(unitOf());
  },
});

/** @param select SQL of the bookings to mark, each with the id of its session; `values` are those of its placeholders */
async function markAttended(unit: UnitOfWork, select: string, values: readonly unknown[]): Promise<void> {
  const found = await unit.read<{ id: string; sessionId: string }>(select, values);
  for (const [sessionId, attended] of Map.groupBy(found, (booking) => booking.sessionId))
    await unit.transaction(async () => {
      const sessions = await lockSessions(unit, 'id = ?', [sessionId]);
      // The visit may have been undone since the bookings were read; `withdrawAttendance` takes the same lock.
      const marked = await unit.run<{ id: string }>(
        `update booking set status = 'ATTENDED' from class_session
         where booking.id = any(?::uuid[]) and booking.status = 'BOOKED' and class_session.id = booking.session_id and ${HAS_VISIT}
         returning booking.id`,
        [attended.map(({ id }) => id)],
      );
      if (marked.length > 0)
        await saveSessions(
          unit,
          sessions,
          marked.map(({ id }) => id),
        );
    });
}

/**
 * Withdraws the attendance that a visit has recorded, in the transaction that has undone the visit, unless another visit
 * belongs to the session, or staff have recorded the attendance. The booking is BOOKED again, or a NO_SHOW if its session is
 * over. The sessions of bookings that are still BOOKED are locked, too, because `markAttended` may be about to mark these.
 */
export async function withdrawAttendance(
  unit: UnitOfWork,
  { userId, locationId, checkedInAt }: { userId: string; locationId: string; checkedInAt: Date },
): Promise<void> {
  const sessions = await lockSessions(
    unit,
    `id = any(array(
       select session_id from booking
       where user_id = ? and status in ('BOOKED', 'ATTENDED')
         and starts_at between ?::timestamptz - interval '1 day' and ?::timestamptz + interval '1 day'
     )) and location_id = ? and ends_at > ? and status in ('SCHEDULED', 'DONE')`,
    [userId, checkedInAt, checkedInAt, locationId, checkedInAt],
  );
  if (sessions.length === 0) return;
  const changed = await unit.run<{ id: string; sessionId: string }>(
    `update booking set status = case class_session.status when 'DONE' then 'NO_SHOW' else 'BOOKED' end
     from class_session
     where class_session.id = booking.session_id and class_session.id = any(?::uuid[]) and booking.user_id = ?
       and booking.status = 'ATTENDED' and not booking.attended_by_staff and not ${HAS_VISIT}
     returning booking.id, booking.session_id as "sessionId"`,
    [sessions.map(({ id }) => id), userId],
  );
  const changedSessions = new Set(changed.map(({ sessionId }) => sessionId));
  if (changed.length > 0)
    await saveSessions(
      unit,
      sessions.filter(({ id }) => changedSessions.has(id)),
      changed.map(({ id }) => id),
    );
}

/** Ends at most `SESSIONS_AT_ONCE` sessions that are over. @returns their number */
async function finishSessions(unit: UnitOfWork): Promise<number> {
  return unit.transaction(async () => {
    const sessions = await lockSessions(
      unit,
      `id = any(array(
         select id from class_session where status = 'SCHEDULED' and ends_at <= now() order by ends_at limit ${SESSIONS_AT_ONCE}
       )) and status = 'SCHEDULED'`,
      [],
    );
    if (sessions.length === 0) return 0;
    const closed = await unit.run<{ id: string }>(
      `update booking set status = case status when 'BOOKED' then 'NO_SHOW' else 'CANCELLED' end,
         cancelled_at = case status when 'WAITING' then clock_timestamp() else cancelled_at end
       where session_id = any(?::uuid[]) and status in ('BOOKED', 'WAITING') returning id`,
      [sessions.map(({ id }) => id)],
    );
    for (const session of sessions) {
      session.status = 'DONE';
      session.waiting = 0;
    }
    await saveSessions(
      unit,
      sessions,
      closed.map(({ id }) => id),
    );
    return sessions.length;
  });
}
