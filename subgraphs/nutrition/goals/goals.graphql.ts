import type { Resolvers } from '../resolvers.generated.ts';

export const goalsGraphql = {
  Query: {
    nutritionGoals: (_root, _args, { goals }) => goals.list(),
  },
  Mutation: {
    setNutritionGoal: (_root, { input }, { goals }) => goals.set(input),
    deleteNutritionGoal: async (_root, { input }, { goals }) => {
      await goals.delete(input, input.version ?? undefined);
      return true;
    },
  },
} satisfies Resolvers;
