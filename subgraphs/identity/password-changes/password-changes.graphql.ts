import type { Resolvers } from '../resolvers.generated.ts';

export const passwordChangesGraphql = {
  Mutation: {
    changePassword: async (_root, { input }, { passwordChanges }) => {
      await passwordChanges.change(input);
      return true;
    },
  },
} satisfies Resolvers;
