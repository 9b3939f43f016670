import type { Resolvers } from '../resolvers.generated.ts';

export const emailVerificationsGraphql = {
  Mutation: {
    verifyEmail: async (_root, { input }, { emailVerifications }) => {
      await emailVerifications.verify(input);
      return true;
    },
    resendVerification: async (_root, _args, { emailVerifications }) => {
      await emailVerifications.resend();
      return true;
    },
  },
} satisfies Resolvers;
