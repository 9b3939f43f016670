import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { Context } from '../services.ts';
import type { SessionChanged } from './session-events.ts';

export const sessionsGraphql = {
  Query: {
    classSessions: async (_root, { first, after, ...filter }, { sessions }) =>
      connectionOf(await sessions.list({ ...filter, ...pageOf({ first, after }) })),
    classSession: (_root, { id }, { sessions }) => orNull(sessions.get(id)),
    myCalendar: (_root, _args, { calendars }) => calendars.own(),
  },
  Mutation: {
    updateClassSession: (_root, { input: { id, ...change } }, { sessions }) => sessions.update(id, change),
    rotateCalendar: (_root, _args, { calendars }) => calendars.rotate(),
  },
  Subscription: {
    classSessionChanged: {
      subscribe: (_root, { locationId }, { sessions }) => sessions.changes(locationId),
      resolve: async ({ sessionId }: SessionChanged, _args: unknown, { sessions }: Context) => ({
        ...(await sessions.get(sessionId)),
        isForAll: true,
      }),
    },
  },
  ClassSession: {
    __resolveReference: async ({ id }, { sessions }) => sessions.get(id),
    location: ({ locationId }, _args, { locations }) => locations.evenIfClosed(locationId),
    myBooking: ({ id, isForAll }, _args, { bookings }) => (isForAll ? null : bookings.mine(id)),
    bookings: async ({ id }, { status, ...page }, { bookings }) =>
      connectionOf(await bookings.ofSession(id, { status, ...pageOf(page) })),
  },
} satisfies Resolvers;
