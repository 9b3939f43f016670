import type { Resolvers } from '../resolvers.generated.ts';

export const passwordResetsGraphql = {
  Mutation: {
    requestPasswordReset: async (_root, { input }, { passwordResets }) => {
      await passwordResets.request(input);
      return true;
    },
    resetPassword: async (_root, { input }, { passwordResets }) => {
      await passwordResets.confirm(input);
      return true;
    },
  },
} satisfies Resolvers;
