import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const bookingsGraphql = {
  Query: {
    bookings: async (_root, { first, after, ...filter }, { bookings }) =>
      connectionOf(await bookings.list({ ...filter, ...pageOf({ first, after }) })),
    booking: (_root, { id }, { bookings }) => orNull(bookings.get(id)),
  },
  Mutation: {
    bookClassSession: (_root, { input: { sessionId, ...input } }, { bookings }) =>
      bookings.book(sessionId, input),
    cancelBooking: (_root, { id }, { bookings }) => bookings.cancel(id),
    setAttendance: (_root, { input: { bookingId, ...input } }, { bookings }) =>
      bookings.setAttendance(bookingId, input),
  },
  Booking: {
    __resolveReference: async ({ id }, { bookings }) => bookings.get(id),
    // `fresh`, because an earlier mutation of the operation may have changed the session.
    session: ({ sessionId }, _args, { sessions }) => orNull(sessions.fresh(sessionId)),
    user: ({ userId }) => (userId ? { id: userId } : null),
  },
  User: {
    bookings: async ({ id }, { first, after, coming }, { bookings }) =>
      connectionOf(await bookings.list({ userId: id, coming, ...pageOf({ first, after }) })),
  },
} satisfies Resolvers;
