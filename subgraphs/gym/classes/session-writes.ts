import { columnOf } from '#server/database/columns.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import { addJobs } from '#server/jobs/add-job.ts';
import { notifyingValues } from '#server/observability/event-cause.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { BOOKINGS, type BookingShape } from './bookings.shapes.ts';
import { mailBooking, type Notice } from './mail-booking.ts';
import type { SessionStatus } from './session.entity.ts';
import { CLASS_SESSIONS_CHANNEL, NOTIFY_SESSIONS } from './session-events.ts';
import { SESSIONS, type SessionRow } from './sessions.shapes.ts';

/** A session that the transaction has locked. */
export interface LockedSession {
  id: string;
  classId: string;
  gymId: string;
  locationId: string;
  occurrence: string | null;
  startsAt: Date;
  endsAt: Date;
  capacity: number;
  instructor: string | null;
  status: SessionStatus;
  booked: number;
  waiting: number;
  lastNumber: number;
  edited: boolean;
  version: number;
}

const FIELDS = [
  'id',
  'classId',
  'gymId',
  'locationId',
  'occurrence',
  'startsAt',
  'endsAt',
  'capacity',
  'instructor',
  'status',
  'booked',
  'waiting',
  'lastNumber',
  'edited',
  'version',
] as const satisfies (keyof LockedSession)[];
const LOCKED = FIELDS.map((field) => `${columnOf(field)} as "${field}"`).join(', ');

/** The most events in one statement, because PostgreSQL limits the number of values of a statement. */
const EVENTS_AT_ONCE = 500;

/**
 * Locks sessions until the transaction ends, so that their bookings change one after the other. A transaction that also
 * locks the gym or the class locks these first; bookings are locked last. Rows are locked in the order of their ids, so that
 * two of these statements cannot deadlock.
 */
export async function lockSessions(
  unit: UnitOfWork,
  where: string,
  values: readonly unknown[],
): Promise<LockedSession[]> {
  const rows = await unit.run<
    Omit<LockedSession, 'startsAt' | 'endsAt'> & { startsAt: string; endsAt: string }
  >(`select ${LOCKED} from class_session where ${where} order by id for no key update`, values);
  return rows.map((row) => ({ ...row, startsAt: new Date(row.startsAt), endsAt: new Date(row.endsAt) }));
}

/** Whether the session can be booked: it is neither cancelled nor over, and has not begun. */
export const isOpen = ({ status, startsAt }: Pick<LockedSession, 'status' | 'startsAt'>): boolean =>
  status === 'SCHEDULED' && startsAt.getTime() > Date.now();

/** Sessions and bookings as they are stored now. */
export interface Written {
  sessions: SessionRow[];
  bookings: BookingShape[];
}

/**
 * Writes locked sessions after a change. Before the write, their free places go to the bookings that have waited the
 * longest. It also notifies subscribers, records the events, and adds the jobs for the mails.
 * @param bookingIds the bookings that the calling code has changed
 * @param notices the mails to the members of these bookings, by the id of the booking
 * @returns the sessions, and the changed bookings, promoted ones included
 */
export async function saveSessions(
  unit: UnitOfWork,
  sessions: readonly LockedSession[],
  bookingIds: readonly string[],
  notices: ReadonlyMap<string, Notice> = new Map(),
): Promise<Written> {
  const mails = new Map(notices);
  const changed = new Set(bookingIds);
  for (const session of sessions)
    for (const id of await promote(unit, session)) {
      mails.set(id, 'PROMOTED');
      changed.add(id);
    }
  const ids = sessions.map(({ id }) => id);
  await writeRows(unit, sessions);
  await unit.run(NOTIFY_SESSIONS, [...notifyingValues(CLASS_SESSIONS_CHANNEL), ids]);
  const written = {
    sessions: await unit.run<SessionRow>(`${SESSIONS} where class_session.id = any(?::uuid[])`, [ids]),
    bookings:
      changed.size > 0
        ? await unit.run<BookingShape>(`${BOOKINGS} where booking.id = any(?::uuid[])`, [[...changed]])
        : [],
  };
  const events = [...written.bookings.map(bookingChanged), ...written.sessions.map(sessionChanged)];
  for (let start = 0; start < events.length; start += EVENTS_AT_ONCE)
    await recordEvents(unit, events.slice(start, start + EVENTS_AT_ONCE));
  await addJobs(
    unit.em,
    mailBooking,
    written.bookings.flatMap(({ id, userId }) => {
      const notice = mails.get(id);
      return notice && userId ? [{ bookingId: id, userId, notice }] : [];
    }),
  );
  return written;
}

/**
 * Gives the free places of a session that can still be booked to the bookings that have waited the longest.
 * @returns the ids of the promoted bookings
 */
async function promote(unit: UnitOfWork, session: LockedSession): Promise<string[]> {
  const free = isOpen(session) ? Math.min(session.capacity - session.booked, session.waiting) : 0;
  if (free <= 0) return [];
  const promoted = await unit.run<{ id: string }>(
    `update booking set status = 'BOOKED', has_place = true, promoted_at = clock_timestamp()
     where id = any(array(
       select id from booking where session_id = ? and status = 'WAITING' order by number limit ?
     )) returning id`,
    [session.id, free],
  );
  session.booked += promoted.length;
  session.waiting -= promoted.length;
  return promoted.map(({ id }) => id);
}

/** The columns that a change of a session may write, with their types. */
const WRITTEN = {
  occurrence: 'text',
  startsAt: 'timestamptz',
  endsAt: 'timestamptz',
  capacity: 'int',
  instructor: 'text',
  status: 'text',
  booked: 'int',
  waiting: 'int',
  lastNumber: 'int',
  edited: 'bool',
  version: 'int',
} as const satisfies Partial<Record<keyof LockedSession, string>>;
const COLUMNS = Object.keys(WRITTEN).map(columnOf);
const WRITE = `
  update class_session set changed_at = clock_timestamp(), ${COLUMNS.map((column) => `${column} = given.${column}`).join(', ')}
  from unnest(?::uuid[], ${Object.values(WRITTEN)
    .map((type) => `?::${type}[]`)
    .join(', ')}) as given (id, ${COLUMNS.join(', ')})
  where class_session.id = given.id`;

async function writeRows(unit: UnitOfWork, sessions: readonly LockedSession[]): Promise<void> {
  const fields = Object.keys(WRITTEN) as (keyof typeof WRITTEN)[];
  await unit.run(WRITE, [
    sessions.map(({ id }) => id),
    ...fields.map((field) => sessions.map((session) => session[field])),
  ]);
}

const sessionChanged = (session: SessionRow): NewEvent => ({
  type: 'class_session.changed',
  gymId: session.gymId,
  subject: `class-session/${session.id}`,
  data: { ...session, myBooking: null },
});

const bookingChanged = (booking: BookingShape): NewEvent => ({
  type: 'booking.changed',
  gymId: booking.gymId,
  subject: `booking/${booking.id}`,
  data: booking,
});

/**
 * Cancels sessions that the transaction has locked, and their bookings, whatever attendance is recorded. The members of these
 * bookings get a mail, except those who had given up their place themselves.
 */
export async function cancelSessions(unit: UnitOfWork, sessions: readonly LockedSession[]): Promise<Written> {
  const cancelled = await unit.run<{ id: string; wasExpected: boolean }>(
    `with open as (
       select id as open_id, has_place or status = 'WAITING' as was_expected from booking
       where session_id = any(?::uuid[]) and status <> 'CANCELLED'
     )
     update booking set status = 'CANCELLED', has_place = false, attended_by_staff = false,
       cancelled_at = case when open.was_expected then clock_timestamp() else coalesce(cancelled_at, clock_timestamp()) end
     from open where booking.id = open.open_id
     returning booking.id, open.was_expected as "wasExpected"`,
    [sessions.map(({ id }) => id)],
  );
  for (const session of sessions) {
    session.status = 'CANCELLED';
    session.booked = 0;
    session.waiting = 0;
    session.version += 1;
  }
  const mailed = cancelled.filter(({ wasExpected }) => wasExpected);
  return saveSessions(
    unit,
    sessions,
    cancelled.map(({ id }) => id),
    new Map(mailed.map(({ id }) => [id, 'SESSION_CANCELLED'])),
  );
}
