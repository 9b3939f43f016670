import type { Resolvers } from '../resolvers.generated.ts';

export const firstVisitsGraphql = {
  Query: {
    firstVisits: (_root, filter, { firstVisits }) => firstVisits.list(filter),
  },
  FirstVisit: {
    user: ({ userId }) => ({ id: userId }),
  },
} satisfies Resolvers;
