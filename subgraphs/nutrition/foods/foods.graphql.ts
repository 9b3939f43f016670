import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const foodsGraphql = {
  Query: {
    foods: async (_root, { first, after, ...filter }, { foods }) =>
      connectionOf(await foods.list(filter, pageOf({ first, after }))),
  },
} satisfies Resolvers;
