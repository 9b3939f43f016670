import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { flag, idParams, uuid } from '#server/shapes.ts';
import { z } from 'zod';
import { TAGS } from '../api-tags.ts';
import type { Bookings } from './bookings.ts';
import { AttendanceInput, BookingShape, bookingStatus, BookInput } from './bookings.shapes.ts';

const route = restRoute<{ bookings: Bookings }>(TAGS.classes, 'classes');

const statusQuery = z.object({
  status: bookingStatus.optional().meta({ description: 'Only bookings with this status.' }),
});

export const bookingsRest = [
  route({
    method: 'POST',
    path: '/class-sessions/:id/bookings',
    operationId: 'bookClassSession',
    summary: 'Book a place in a class session',
    description:
      'The booking is BOOKED, or WAITING with its position if the session is full. A place that becomes free before the start goes to the one who has waited the longest. Staff may book for a member by `userId`.',
    auth: 'required',
    params: idParams,
    body: BookInput.optional(),
    success: { status: 201, description: 'The booking.', shape: BookingShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'SESSION_CLOSED', 'MEMBERSHIP_INACTIVE'],
    handler: ({ params, body }, { bookings }) => bookings.book(params.id, body),
  }),
  route({
    method: 'GET',
    path: '/class-sessions/:id/bookings',
    operationId: 'listSessionBookings',
    summary: 'The bookings of a class session',
    only: GYM_STAFF,
    scopes: ['classes:read'],
    auth: 'required',
    params: idParams,
    query: pageQuery.extend(statusQuery.shape),
    success: {
      status: 200,
      description: 'A page of the bookings in the order of their arrival.',
      shape: BookingShape,
      page: true,
    },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { bookings }) => bookings.ofSession(params.id, query),
  }),
  route({
    method: 'GET',
    path: '/bookings',
    operationId: 'listBookings',
    summary: "The caller's bookings",
    description: 'Staff may name a member by `userId`, and see the bookings in their own gym.',
    auth: 'required',
    query: pageQuery.extend(statusQuery.shape).extend({
      userId: uuid().optional().meta({
        description:
          'The member whose bookings these are; only staff may name another user. Default: the caller.',
      }),
      coming: flag.optional().meta({
        description:
          'With `true`: only bookings of sessions that have not begun, the earliest first, without those that are CANCELLED or a NO_SHOW. Cursors of this list are not valid without it.',
      }),
    }),
    success: {
      status: 200,
      description:
        'A page of the bookings; those of the latest sessions come first, with `coming` those of the next ones.',
      shape: BookingShape,
      page: true,
    },
    errors: ['NOT_FOUND'],
    handler: ({ query }, { bookings }) => bookings.list(query),
  }),
  route({
    method: 'GET',
    path: '/bookings/:id',
    operationId: 'getBooking',
    summary: 'A booking',
    scopes: ['classes:read'],
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The booking.', shape: BookingShape },
    handler: ({ params }, { bookings }) => bookings.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/bookings/:id',
    operationId: 'setAttendance',
    summary: 'Record whether a member has attended',
    description:
      'From 60 minutes before the start. Until the end, BOOKED takes ATTENDED or NO_SHOW back; a visit that belongs to the session marks the booking as ATTENDED again.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    body: AttendanceInput,
    success: { status: 200, description: 'The booking.', shape: BookingShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { bookings }) => bookings.setAttendance(params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/bookings/:id',
    operationId: 'cancelBooking',
    summary: 'Cancel a booking',
    description:
      'For the member and for staff, until the end of the session. Later than `cancelBeforeMinutes` before the start, a booking with a place becomes a NO_SHOW; one on the waiting list always becomes CANCELLED. Until the start, a place that becomes free goes to the one who has waited the longest.',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The booking, CANCELLED or NO_SHOW.', shape: BookingShape },
    errors: ['CONFLICT', 'SESSION_CLOSED'],
    handler: ({ params }, { bookings }) => bookings.cancel(params.id),
  }),
];
