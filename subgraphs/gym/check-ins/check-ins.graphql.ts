import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const checkInsGraphql = {
  Query: {
    checkInDenials: async (_root, { locationId, ...page }, { denials }) =>
      connectionOf(await denials.list(locationId, pageOf(page))),
  },
  Mutation: {
    checkIn: (_root, { input }, { checkIns }) => checkIns.checkIn(input),
    checkOut: (_root, { input }, { checkIns }) => checkIns.checkOut(input ?? {}),
    undoCheckIn: async (_root, { id }, { checkIns }) => {
      await checkIns.undo(id);
      return true;
    },
  },
  CheckIn: {
    __resolveReference: async ({ id }, { checkIns }) => checkIns.get(id),
    user: ({ userId }) => (userId ? { id: userId } : null),
    location: ({ locationId }, _args, { locations }) => locations.evenIfClosed(locationId),
  },
  User: {
    checkIns: async ({ id }, page, { checkIns }) => connectionOf(await checkIns.ofUser(id, pageOf(page))),
    currentCheckIn: async ({ id }, _args, { checkIns }) => checkIns.currentOf(id),
  },
} satisfies Resolvers;
