import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const foodLogsGraphql = {
  Query: {
    foodLog: (_root, { id }, { foodLogs }) => foodLogs.get(id),
  },
  Mutation: {
    logFood: (_root, { input }, { foodLogs }) => foodLogs.log(input),
    logMeal: (_root, { input }, { foodLogs }) => foodLogs.logMeal(input),
    updateFoodLog: (_root, { input: { id, ...change } }, { foodLogs }) => foodLogs.update(id, change),
    deleteFoodLog: async (_root, { input }, { foodLogs }) => {
      await foodLogs.delete(input.id, input.version ?? undefined);
      return true;
    },
    copyFoodLog: (_root, { input: { id, ...change } }, { foodLogs }) => foodLogs.copy(id, change),
  },
  FoodLog: {
    __resolveReference: async ({ id }, { foodLogs }) => foodLogs.get(id),
  },
  User: {
    // The reference reveals nothing; each field checks the rights.
    __resolveReference: async (reference) => reference,
    foodLogs: async ({ id }, { first, after, ...filter }, { foodLogs }) =>
      connectionOf(await foodLogs.history(id, filter, pageOf({ first, after }))),
  },
} satisfies Resolvers;
