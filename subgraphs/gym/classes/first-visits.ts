import { z } from 'zod';
import { requireService } from '#server/auth/viewer.ts';
import { notFound, PlatformError } from '#server/errors.ts';
import { instant, uuid } from '#server/shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import type { Memberships } from '../members/memberships.ts';
import { addBooking, giveUp } from './bookings.ts';
import { BOOKINGS, type BookingShape } from './bookings.shapes.ts';
import { addFirstVisitClass } from './first-visit-class.ts';
import { insertSessions } from './make-sessions.ts';
import { isOpen, lockSessions } from './session-writes.ts';

/** The maximum number of bookings that one request asks about. */
const MAX_IDS = 100;

export const FirstVisitTime = z.object({
  locationId: uuid().meta({ description: 'The location of the first visit.' }),
  startsAt: instant.meta({ description: 'The beginning of the first visit.' }),
});
export const BookFirstVisitInput = FirstVisitTime.extend({
  id: uuid().meta({
    description:
      'The id of the booking. The caller chooses it, so that a repeated request creates no second booking.',
  }),
  userId: uuid().meta({ description: 'The new member.' }),
});
export const FirstVisitPlacesShape = z
  .object({
    capacity: z
      .int()
      .meta({ description: 'The places of first visits at that time; 0 if their session is cancelled.' }),
    booked: z.int().meta({ description: 'How many of them are booked.' }),
  })
  .meta({ id: 'FirstVisitPlaces' });

export const FirstVisitIds = z.object({
  ids: z
    .string()
    .max(MAX_IDS * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(uuid()).max(MAX_IDS))
    .meta({ description: `The ids of bookings, at most ${MAX_IDS}, with commas between them.` }),
});
export const BookedFirstVisitsShape = z
  .object({
    booked: z.array(uuid()).meta({ description: 'Those of the bookings that have their place.' }),
  })
  .meta({ id: 'BookedFirstVisits' });

interface FirstVisitClass {
  id: string;
  gymId: string;
  locationId: string;
  durationMinutes: number;
  capacity: number;
  instructor: string | null;
}

/**
 * First visits of new members: bookings of the class "First visit" that every location has. A session of this class is made
 * by its first booking. The wizard calls these rules.
 */
export class FirstVisits {
  private readonly unit: UnitOfWork;
  private readonly memberships: Memberships;

  constructor(unit: UnitOfWork, memberships: Memberships) {
    this.unit = unit;
    this.memberships = memberships;
  }

  /**
   * The places of first visits at a time; none if staff have cancelled that session.
   * @throws NOT_FOUND for a location that does not exist or is closed for good
   */
  async places(input: unknown): Promise<z.infer<typeof FirstVisitPlacesShape>> {
    requireService(this.unit.viewer);
    const { locationId, startsAt } = validated(FirstVisitTime, input);
    const [found] = await this.unit.read<z.infer<typeof FirstVisitPlacesShape>>(
      `select case class_session.status when 'CANCELLED' then 0
           else coalesce(class_session.capacity, gym_class.capacity, location.capacity) end as capacity,
         coalesce(class_session.booked, 0) as booked
       from location left join gym_class on gym_class.location_id = location.id and is_first_visit
       left join class_session on class_session.class_id = gym_class.id and class_session.occurrence = ?
       where location.id = ? and location.closed_at is null`,
      [occurrenceOf(startsAt), locationId],
    );
    if (!found) throw notFound('location', locationId);
    return found;
  }

  /** Which of these bookings still have their place, or were attended. The others were cancelled, also because the member has left the gym. */
  async booked({ ids }: z.output<typeof FirstVisitIds>): Promise<z.infer<typeof BookedFirstVisitsShape>> {
    requireService(this.unit.viewer);
    const rows = await this.unit.read<{ id: string }>(
      `select id from booking where id = any(?::uuid[]) and (has_place or status = 'ATTENDED')`,
      [ids],
    );
    return { booked: rows.map(({ id }) => id) };
  }

  /**
   * Books a first visit. A repeated request with the same id, location and time returns the stored booking, even if it was cancelled
   * in the meantime.
   * @throws NOT_FOUND for a location that does not exist or is closed for good; SESSION_CLOSED if no place is left, or if the session
   * has begun or was cancelled; CONFLICT if the member has booked the session already, or if the id is that of another booking; the
   * errors of `requireActive` (MEMBERSHIP_INACTIVE) and of `requireOpenGym`
   */
  async book(input: unknown): Promise<BookingShape> {
    requireService(this.unit.viewer);
    const { id, locationId, startsAt, userId } = validated(BookFirstVisitInput, input);
    const [location] = await this.unit.read<{ gymId: string }>(
      'select gym_id as "gymId" from location where id = ? and closed_at is null',
      [locationId],
    );
    if (!location) throw notFound('location', locationId);
    await this.memberships.requireActive(location.gymId, userId);
    return this.unit.transaction(async () => {
      await requireOpenGym(this.unit, location.gymId);
      const first = await this.classAt(locationId);
      const [session] = await this.sessionAt(first, startsAt);
      if (!session) throw new Error('the session of the first visit was not stored');
      const [existing] = await this.unit.run<BookingShape>(
        `${BOOKINGS} where booking.id = ? and booking.session_id = ?`,
        [id, session.id],
      );
      if (existing) return existing;
      // A first visit is never on the waiting list: the wizard offers another time instead.
      if (isOpen(session) && session.booked >= session.capacity)
        throw new PlatformError('SESSION_CLOSED', 'All places of first visits at that time are booked.');
      return addBooking(this.unit, session, userId, id);
    });
  }

  /**
   * Cancels a first visit that the wizard has booked. A booking that is no longer BOOKED stays as it is.
   * @throws NOT_FOUND
   */
  async cancel(bookingId: string): Promise<void> {
    requireService(this.unit.viewer);
    const [known] = await this.unit.read<{ sessionId: string }>(
      `select session_id as "sessionId" from booking join class_session on class_session.id = session_id
       join gym_class on gym_class.id = class_id where booking.id = ? and is_first_visit`,
      [bookingId],
    );
    if (!known) throw notFound('booking', bookingId);
    await this.unit.transaction(async () => {
      const [session] = await lockSessions(this.unit, 'id = ?', [known.sessionId]);
      const [booking] = await this.unit.run<BookingShape>(`${BOOKINGS} where booking.id = ?`, [bookingId]);
      if (session && booking?.status === 'BOOKED') await giveUp(this.unit, session, booking, false);
    });
  }

  /** The class of first visits at a location, locked. */
  private async classAt(locationId: string): Promise<FirstVisitClass> {
    await addFirstVisitClass(this.unit, locationId);
    const [first] = await this.unit.run<FirstVisitClass>(
      `select id, gym_id as "gymId", location_id as "locationId", duration_minutes as "durationMinutes", capacity, instructor
       from gym_class
       where location_id = ? and is_first_visit and active for no key update`,
      [locationId],
    );
    if (!first) throw new PlatformError('SESSION_CLOSED', 'This location offers no first visits.');
    return first;
  }

  /** Makes the session at that time, unless there is one, and locks it. @returns a list with this session */
  private async sessionAt(first: FirstVisitClass, startsAt: string) {
    const occurrence = occurrenceOf(startsAt);
    const start = new Date(startsAt);
    await insertSessions(this.unit, first, [
      {
        occurrence,
        startsAt: start,
        endsAt: new Date(start.getTime() + first.durationMinutes * 60_000),
        capacity: first.capacity,
        instructor: first.instructor,
      },
    ]);
    return lockSessions(this.unit, 'class_id = ? and occurrence = ?', [first.id, occurrence]);
  }
}

/**
 * The `occurrence` of a session of first visits: its start in UTC, because a local time exists twice when the clocks are put
 * back.
 */
const occurrenceOf = (startsAt: string): string => new Date(startsAt).toISOString().slice(0, 16);
