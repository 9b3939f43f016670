import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { ClassSession } from './session.entity.ts';

export const BookingStatus = {
  BOOKED: 'BOOKED',
  WAITING: 'WAITING',
  CANCELLED: 'CANCELLED',
  ATTENDED: 'ATTENDED',
  NO_SHOW: 'NO_SHOW',
} as const;
export type BookingStatus = (typeof BookingStatus)[keyof typeof BookingStatus];

const BookingSchema = defineEntity({
  name: 'Booking',
  tableName: 'booking',
  indexes: [
    { properties: ['sessionId', 'number'] },
    { properties: ['userId', 'startsAt', 'id'] },
    { properties: ['gymId'] },
    // for the bookings that get a place next
    {
      name: 'booking_waiting',
      expression: `create index "booking_waiting" on "booking" ("session_id", "number") where "status" = 'WAITING'`,
    },
    // for the bookings that a visit may mark as attended
    {
      name: 'booking_booked_by_user',
      expression: `create index "booking_booked_by_user" on "booking" ("user_id", "starts_at") where "status" = 'BOOKED'`,
    },
  ],
  // of the bookings of a user in a session, at most one has a place or waits for one, whatever the code does
  uniques: [
    {
      name: 'booking_open',
      expression: `create unique index "booking_open" on "booking" ("session_id", "user_id") where "has_place" or "status" = 'WAITING'`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    sessionId: () => p.manyToOne(ClassSession).mapToPk().joinColumn('session_id').deleteRule('cascade'),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    /** Null once the account is deleted: the booking stays in the statistics of the gym. */
    userId: p.uuid().nullable(),
    status: p.string().length(16).$type<BookingStatus>(),
    /**
     * Whether the booking takes one of the session's places. A BOOKED booking always takes one. A NO_SHOW takes one,
     * unless the member cancelled too late: others can then get the place. An ATTENDED booking takes one, unless staff recorded such
     * a NO_SHOW as ATTENDED after the end of a full session.
     */
    hasPlace: p.boolean(),
    /** Whether staff have recorded ATTENDED. If a visit did, and staff undo that visit, the booking is no longer ATTENDED. */
    attendedByStaff: p.boolean().default(false),
    /** The order of arrival in the session. */
    number: p.integer(),
    /** A copy of the session's start, so that an index can have the bookings of a user in this order. */
    startsAt: p.datetime(),
    bookedAt: p.datetime(),
    /** When the booking got a place from the waiting list; null if it did not. */
    promotedAt: p.datetime().nullable(),
    cancelledAt: p.datetime().nullable(),
  },
});

export class Booking extends BookingSchema.class {}
BookingSchema.setClass(Booking);
