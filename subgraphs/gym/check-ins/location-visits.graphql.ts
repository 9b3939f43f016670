import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const locationVisitsGraphql = {
  Location: {
    people: async ({ id }, _args, { locationVisits }) =>
      (await locationVisits.openAt(id)).map((visit) => ({ visit })),
    visits: async ({ id }, { from, to, ...page }, { locationVisits }) =>
      connectionOf(await locationVisits.list(id, { ...pageOf(page), from, to })),
  },
  PersonInside: {
    user: ({ visit: { userId } }) => (userId ? { id: userId } : null),
  },
} satisfies Resolvers;
