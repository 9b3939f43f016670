import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const classesGraphql = {
  Query: {
    gymClasses: async (_root, { first, after, ...filter }, { classes }) =>
      connectionOf(await classes.list({ ...filter, ...pageOf({ first, after }) })),
    gymClass: (_root, { id }, { classes }) => orNull(classes.get(id)),
  },
  Mutation: {
    createGymClass: (_root, { input }, { classes }) => classes.create(input),
    updateGymClass: (_root, { input: { id, ...change } }, { classes }) => classes.update(id, change),
    deleteGymClass: async (_root, { id }, { classes }) => {
      await classes.remove(id);
      return true;
    },
  },
  GymClass: {
    __resolveReference: async ({ id }, { classes }) => classes.get(id),
    location: ({ locationId }, _args, { locations }) => locations.evenIfClosed(locationId),
    occurrences: ({ id }, range, { classes }) => classes.occurrences(id, range),
  },
} satisfies Resolvers;
