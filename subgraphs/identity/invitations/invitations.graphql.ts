import type { Resolvers } from '../resolvers.generated.ts';

export const invitationsGraphql = {
  Mutation: {
    inviteUser: (_root, { input }, { invitations }) => invitations.invite(input),
    withdrawInvitation: async (_root, { input }, { invitations }) => {
      await invitations.withdraw(input.userId);
      return true;
    },
  },
} satisfies Resolvers;
