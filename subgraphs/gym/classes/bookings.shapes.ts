import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { columnOf, columnsOf } from '#server/database/columns.ts';
import { BookingStatus } from './booking.entity.ts';
import { SessionStatus } from './session.entity.ts';

/** The session of a booking, in the answer about the booking. */
export const BookedSessionShape = z
  .object({
    id: uuid(),
    classId: uuid(),
    title: z.string().meta({ description: 'The title of the class.' }),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
    status: z.enum(SessionStatus),
  })
  .meta({ id: 'BookedSession', graphType: 'ClassSession' });
export type BookedSessionShape = z.infer<typeof BookedSessionShape>;

export const BookingShape = z
  .object({
    id: uuid(),
    sessionId: uuid(),
    gymId: uuid(),
    locationId: uuid(),
    userId: uuid().nullable(),
    status: z.enum(BookingStatus),
    position: z.int().nullable(),
    bookedAt: z.iso.datetime(),
    promotedAt: z.iso.datetime().nullable(),
    cancelledAt: z.iso.datetime().nullable(),
    session: BookedSessionShape,
  })
  .meta({ id: 'Booking' });
export type BookingShape = z.infer<typeof BookingShape>;

const ISO = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Bookings with their sessions. The position of a waiting booking is how many waiting bookings of the session have a number
 * up to its own; the index `booking_waiting` has this order.
 */
export const BOOKINGS = `select ${columnsOf(BookingShape, {
  ...Object.fromEntries(
    Object.keys(BookingShape.shape).map((field) => [field, `booking.${columnOf(field)}`]),
  ),
  locationId: 'class_session.location_id',
  position: `case when booking.status = 'WAITING' then (
    select count(*)::int from booking as earlier where earlier.session_id = booking.session_id
      and earlier.status = 'WAITING' and earlier.number <= booking.number) end`,
  session: `jsonb_build_object('id', class_session.id, 'classId', class_session.class_id, 'title', gym_class.title,
    'startsAt', ${ISO('class_session.starts_at')}, 'endsAt', ${ISO('class_session.ends_at')},
    'status', case when class_session.status = 'SCHEDULED' and class_session.ends_at <= now() then 'DONE' else class_session.status end)`,
})} from booking join class_session on class_session.id = booking.session_id join gym_class on gym_class.id = class_session.class_id`;

export const BookInput = z.object({
  userId: uuid().nullish().meta({
    description: 'The member who gets the place; only staff may name another user. Default: the caller.',
  }),
});

export const AttendanceInput = z.object({
  status: z
    .enum(
      [BookingStatus.ATTENDED, BookingStatus.NO_SHOW, BookingStatus.BOOKED],
      'expected ATTENDED, NO_SHOW or BOOKED',
    )
    .meta({
      description:
        'ATTENDED or NO_SHOW, from 60 minutes before the start; until the end also BOOKED, which takes either back.',
    }),
});

export const bookingStatus = z.enum(
  BookingStatus,
  `expected one of ${Object.values(BookingStatus).join(', ')}`,
);

export const BookingsFilter = z.object({
  userId: uuid().nullish(),
  status: bookingStatus.nullish(),
});

export const CalendarShape = z
  .object({
    url: z.string().meta({ description: 'The address of the iCalendar feed, with its private token.' }),
  })
  .meta({ id: 'Calendar' });
export type CalendarShape = z.infer<typeof CalendarShape>;
