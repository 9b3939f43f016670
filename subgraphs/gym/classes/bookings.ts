import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser, requireUserOrScope, type UserViewer } from '#server/auth/viewer.ts';
import { conflict, forbidden, notFound, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayChangeBooking, mayManage, maySeeBooking, maySeeClass } from '../access.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import type { Memberships } from '../members/memberships.ts';
import {
  AttendanceInput,
  BookingsFilter,
  BookInput,
  BOOKINGS,
  type BookingShape,
} from './bookings.shapes.ts';
import { setAttendance } from './attendance.ts';
import { auditBooking } from './audit-booking.ts';
import { isOpen, lockSessions, saveSessions, type LockedSession } from './session-writes.ts';

/** The two orders of a user's bookings. Both read the index by user and start. */
const LATEST_FIRST = {
  cursors: cursorsOf('bookings', z.tuple([z.iso.datetime(), uuid()])),
  condition: '',
  direction: 'desc',
  beyond: '<',
} as const;
const COMING = {
  cursors: cursorsOf('comingBookings', z.tuple([z.iso.datetime(), uuid()])),
  condition: "and booking.starts_at > now() and booking.status not in ('CANCELLED', 'NO_SHOW')",
  direction: 'asc',
  beyond: '>',
} as const;
type BookingOrder = typeof LATEST_FIRST | typeof COMING;
const byNumber = cursorsOf('sessionBookings', z.tuple([z.int(), uuid()]));

export interface BookingsRequest extends PageRequest {
  userId?: string | null | undefined;
  status?: string | null | undefined;
  /** Only bookings of sessions that have not begun, the earliest first, without those that are CANCELLED or a NO_SHOW. */
  coming?: boolean | null | undefined;
}

type NumberedBooking = BookingShape & { number: number };

/**
 * Bookings of class sessions. No session ever has more people than places, and those who wait get places in the order of
 * their arrival.
 */
export class Bookings {
  private readonly unit: UnitOfWork;
  private readonly memberships: Memberships;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<BookingShape>(`${BOOKINGS} where booking.id = any(?::uuid[])`, [ids]),
    (booking) => booking.id,
  );
  /** The viewer's latest booking of a session, not counting CANCELLED ones; by the session's id. */
  private readonly ownBySession = loaderOf(
    (sessionIds) =>
      this.unit.read<BookingShape>(
        `select distinct on (mine."sessionId") mine.* from (${BOOKINGS} where booking.user_id = ?
           and booking.session_id = any(?::uuid[]) and booking.status <> 'CANCELLED' order by booking.number desc) as mine
         order by mine."sessionId", mine."bookedAt" desc`,
        [requireUser(this.unit.viewer).userId, sessionIds],
      ),
    (booking) => booking.sessionId,
  );
  private readonly latestOfUser = firstItemsLoaderOf(
    (userIds, count) => this.firstBookings(userIds, count, LATEST_FIRST),
    (booking) => booking.userId ?? '',
  );
  private readonly comingOfUser = firstItemsLoaderOf(
    (userIds, count) => this.firstBookings(userIds, count, COMING),
    (booking) => booking.userId ?? '',
  );

  constructor(unit: UnitOfWork, memberships: Memberships) {
    this.unit = unit;
    this.memberships = memberships;
  }

  /** The viewer's own booking of a session; null if there is none. Batched. */
  async mine(sessionId: string): Promise<BookingShape | null> {
    return this.unit.viewer.kind === 'user' ? this.ownBySession.load(sessionId) : null;
  }

  /**
   * Bookings by the start of their sessions, the latest first, or the coming ones, the earliest first: the viewer's own, or
   * those of another user. Of another user, a GYM_ADMIN sees the bookings in their own gym, a SUPER_ADMIN all. First pages
   * without a status are batched.
   * @throws NOT_FOUND if the viewer may not see the bookings of the user
   */
  async list(request: BookingsRequest): Promise<Page<BookingShape>> {
    const viewer = requireUser(this.unit.viewer);
    const { userId: named, status } = validated(BookingsFilter, {
      userId: request.userId,
      status: request.status,
    });
    const userId = named ?? viewer.userId;
    const gymId = gymSeenOf(viewer, userId);
    const { cursors, condition, direction, beyond } = request.coming ? COMING : LATEST_FIRST;
    const after = cursors.read(request.cursor);
    const count = pageSize(request) + 1;
    const firstOfUser = request.coming ? this.comingOfUser : this.latestOfUser;
    const rows =
      after || status
        ? await this.unit.read<BookingShape>(
            `${BOOKINGS} where booking.user_id = ? ${condition}
             ${gymId ? 'and booking.gym_id = ?' : ''} ${status ? 'and booking.status = ?' : ''}
             ${after ? `and (booking.starts_at, booking.id) ${beyond} (?, ?)` : ''}
             order by booking.starts_at ${direction}, booking.id ${direction} limit ?`,
            [userId, ...(gymId ? [gymId] : []), ...(status ? [status] : []), ...(after ?? []), count],
          )
        : await firstOfUser(userId, count);
    return cursors.page(rows, request, ({ session, id }) => [session.startsAt, id]);
  }

  /** The bookings of a session in the order of their arrival. For staff, and for machine clients that may read classes. */
  async ofSession(sessionId: string, request: BookingsRequest): Promise<Page<BookingShape>> {
    const { viewer } = this.unit;
    requireUserOrScope(viewer, 'classes:read');
    const { status } = validated(BookingsFilter, { status: request.status });
    const session = await this.sessionOf(sessionId);
    if (!maySeeBooking(viewer, session)) throw forbidden("Only the gym's staff may see who has booked.");
    const after = byNumber.read(request.cursor);
    const rows = await this.unit.read<NumberedBooking>(
      `select shown.*, booking.number from (${BOOKINGS} where booking.session_id = ? ${status ? 'and booking.status = ?' : ''}
         ${after ? 'and (booking.number, booking.id) > (?, ?)' : ''} order by booking.number, booking.id limit ?) as shown
       join booking on booking.id = shown.id order by booking.number, booking.id`,
      [sessionId, ...(status ? [status] : []), ...(after ?? []), pageSize(request) + 1],
    );
    const numbers = new Map(rows.map(({ id, number }) => [id, number]));
    const shown = rows.map(({ number: _number, ...booking }): BookingShape => booking);
    return byNumber.page(shown, request, ({ id }) => [numbers.get(id) ?? 0, id]);
  }

  /** @throws NOT_FOUND, also for a booking that the viewer may not see */
  async get(id: string): Promise<BookingShape> {
    const { viewer } = this.unit;
    requireUserOrScope(viewer, 'classes:read');
    const booking = isUuid(id) ? await this.byId.load(id) : null;
    if (!booking || !maySeeBooking(viewer, booking)) throw notFound('booking', id);
    return booking;
  }

  /**
   * Books a place, or one on the waiting list if the session is full. Users book for themselves, staff also for a member.
   * @throws SESSION_CLOSED if the session has begun or is cancelled; CONFLICT if the member has booked already; NOT_FOUND,
   * FORBIDDEN, MEMBERSHIP_INACTIVE
   */
  async book(sessionId: string, input: unknown): Promise<BookingShape> {
    const viewer = requireUser(this.unit.viewer);
    const { userId: named } = validated(BookInput, input ?? {});
    const userId = named ?? viewer.userId;
    const session = await this.sessionOf(sessionId);
    if (userId !== viewer.userId && !mayManage(viewer, session))
      throw forbidden("Only the gym's staff may book for other users.");
    await this.memberships.requireActive(session.gymId, userId);
    const booking = await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, session.gymId);
      const [locked] = await lockSessions(this.unit, 'id = ?', [sessionId]);
      if (!locked) throw notFound('class session', sessionId);
      const added = await addBooking(this.unit, locked, userId);
      await auditBooking(this.unit, added, session.gymId, 'BOOKING_CREATED');
      return added;
    });
    this.ownBySession.clear(sessionId);
    return booking;
  }

  /**
   * Cancels a booking. Before the start of the session, its place goes to the member who has waited the longest. If
   * fewer than `cancelBeforeMinutes` are left until the start, a booking with a place becomes a NO_SHOW. A cancelled booking
   * stays as it is.
   * @throws SESSION_CLOSED if the session is over or cancelled; CONFLICT if the booking is ATTENDED or a NO_SHOW
   */
  async cancel(id: string): Promise<BookingShape> {
    const { viewer } = this.unit;
    requireUser(viewer);
    return this.changed(id, async (booking, session) => {
      if (booking.status === 'CANCELLED') return;
      if (session.status !== 'SCHEDULED' || session.endsAt.getTime() <= Date.now())
        throw new PlatformError('SESSION_CLOSED', 'This session is over or cancelled.');
      if (booking.status === 'ATTENDED' || booking.status === 'NO_SHOW')
        throw conflict(`This booking is ${booking.status}; it can no longer be cancelled.`);
      await giveUp(this.unit, session, booking, Date.now() > (await this.latestCancellation(session)));
      await auditBooking(this.unit, booking, session.gymId, 'BOOKING_CANCELLED');
    });
  }

  /**
   * Marks a booking as attended or not, or as BOOKED again. For staff.
   * @throws CONFLICT if the session is cancelled or begins in more than 60 minutes; if BOOKED is set after its end; if the
   * booking is WAITING or CANCELLED; or if it needs a place again before the end and none is left
   */
  async setAttendance(id: string, input: unknown): Promise<BookingShape> {
    const { viewer } = this.unit;
    requireUser(viewer);
    const { status } = validated(AttendanceInput, input);
    return this.changed(id, async (booking, session) => {
      if (!mayManage(viewer, session)) throw forbidden("Only the gym's staff may record attendance.");
      await setAttendance(this.unit, session, booking, status);
      if (status !== booking.status)
        await auditBooking(this.unit, booking, session.gymId, `BOOKING_${status}`);
    });
  }

  /** Locks a booking's session, calls `change`, and returns the changed booking. @throws NOT_FOUND */
  private async changed(
    id: string,
    change: (booking: BookingShape, session: LockedSession) => Promise<void>,
  ): Promise<BookingShape> {
    const { viewer } = this.unit;
    const known = await this.get(id);
    if (!mayChangeBooking(viewer, known)) throw notFound('booking', id);
    await this.unit.transaction(async () => {
      const [session] = await lockSessions(this.unit, 'id = ?', [known.sessionId]);
      const [booking] = await this.unit.run<BookingShape>(`${BOOKINGS} where booking.id = ?`, [id]);
      if (!session || !booking) throw notFound('booking', id);
      await change(booking, session);
    });
    this.byId.clear(id);
    this.ownBySession.clear(known.sessionId);
    return this.get(id);
  }

  /** In milliseconds since 1970: a booking with a place that is cancelled after this time becomes a NO_SHOW. */
  private async latestCancellation({ classId, startsAt }: LockedSession): Promise<number> {
    const [row] = await this.unit.run<{ minutes: number }>(
      'select cancel_before_minutes as minutes from gym_class where id = ?',
      [classId],
    );
    return startsAt.getTime() - (row?.minutes ?? 0) * 60_000;
  }

  /** @throws NOT_FOUND, also for another gym's session */
  private async sessionOf(id: string): Promise<{ id: string; gymId: string; locationId: string }> {
    const [session] = isUuid(id)
      ? await this.unit.read<{ id: string; gymId: string; locationId: string }>(
          'select id, gym_id as "gymId", location_id as "locationId" from class_session where id = ?',
          [id],
        )
      : [];
    if (!session || !maySeeClass(this.unit.viewer, session)) throw notFound('class session', id);
    return session;
  }

  private firstBookings(
    userIds: readonly string[],
    count: number,
    { condition, direction }: BookingOrder,
  ): Promise<BookingShape[]> {
    const viewer = requireUser(this.unit.viewer);
    return this.unit.read<BookingShape>(
      `select first.* from unnest(?::uuid[], ?::uuid[]) as member (user_id, seen_gym_id) cross join lateral (
         ${BOOKINGS} where booking.user_id = member.user_id ${condition}
           and (member.seen_gym_id is null or booking.gym_id = member.seen_gym_id)
         order by booking.starts_at ${direction}, booking.id ${direction} limit ?
       ) as first order by first.session ->> 'startsAt' ${direction}, first.id ${direction}`,
      [userIds, userIds.map((userId) => gymSeenOf(viewer, userId) ?? null), count],
    );
  }
}

/**
 * The gym in which the viewer may see the user's bookings; undefined if they may see the bookings in all gyms.
 * @throws NOT_FOUND if they may see no bookings of the user
 */
function gymSeenOf(viewer: UserViewer, userId: string): string | undefined {
  if (viewer.userId === userId || viewer.role === 'SUPER_ADMIN') return undefined;
  if (viewer.role === 'GYM_ADMIN' && viewer.gymId) return viewer.gymId;
  throw notFound('booking of user', userId);
}

/** Adds a booking to a session that the transaction has locked: WAITING if no place is free. @throws SESSION_CLOSED, CONFLICT */
export async function addBooking(
  unit: UnitOfWork,
  session: LockedSession,
  userId: string,
  id: string = uuidv7(),
): Promise<BookingShape> {
  if (!isOpen(session))
    throw new PlatformError('SESSION_CLOSED', 'This session has begun or is cancelled; choose another one.');
  const hasPlace = session.booked < session.capacity;
  session.lastNumber += 1;
  const added = await unit.run<{ id: string }>(
    `insert into booking (id, session_id, gym_id, user_id, status, has_place, number, starts_at, booked_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp()) on conflict do nothing returning id`,
    [
      id,
      session.id,
      session.gymId,
      userId,
      hasPlace ? 'BOOKED' : 'WAITING',
      hasPlace,
      session.lastNumber,
      session.startsAt,
    ],
  );
  if (added.length === 0) throw conflict('This session is booked already; cancel that booking first.');
  if (hasPlace) session.booked += 1;
  else session.waiting += 1;
  const { bookings } = await saveSessions(unit, [session], [added[0]?.id ?? '']);
  const [booking] = bookings;
  if (!booking) throw new Error('the booking was not stored');
  return booking;
}

/**
 * Cancels a BOOKED or WAITING booking of a locked session.
 * @param isLate whether the time for cancellations is over: a BOOKED booking then becomes a NO_SHOW
 */
export async function giveUp(
  unit: UnitOfWork,
  session: LockedSession,
  { id, status }: Pick<BookingShape, 'id' | 'status'>,
  isLate: boolean,
): Promise<void> {
  const next = status === 'BOOKED' && isLate ? 'NO_SHOW' : 'CANCELLED';
  await unit.run(
    'update booking set status = ?, has_place = false, cancelled_at = clock_timestamp() where id = ?',
    [next, id],
  );
  if (status === 'WAITING') session.waiting -= 1;
  else session.booked -= 1;
  await saveSessions(unit, [session], [id]);
}
