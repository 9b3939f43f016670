import type { Resolvers } from '../resolvers.generated.ts';

export const blocksGraphql = {
  Query: {
    blockedUsers: async (_root, _args, { blocks }) => (await blocks.list()).map((id) => ({ id })),
  },
  Mutation: {
    blockUser: async (_root, { input: { userId } }, { blocks }) => {
      await blocks.block(userId);
      return { id: userId };
    },
    unblockUser: async (_root, { input: { userId } }, { blocks }) => {
      await blocks.unblock(userId);
      return { id: userId };
    },
  },
} satisfies Resolvers;
