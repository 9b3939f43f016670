import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const invitationsGraphql = {
  Query: {
    invitations: async (_root, { gymId, ...page }, { invitations }) =>
      connectionOf(await invitations.list({ gymId }, pageOf(page))),
  },
  Mutation: {
    inviteUser: (_root, { input }, { invitations }) => invitations.invite(input),
    resendInvitation: (_root, { input }, { invitations }) => invitations.resend(input.userId),
    withdrawInvitation: async (_root, { input }, { invitations }) => {
      await invitations.withdraw(input.userId);
      return true;
    },
  },
} satisfies Resolvers;
