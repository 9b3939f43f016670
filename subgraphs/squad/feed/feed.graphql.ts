import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const feedGraphql = {
  Query: {
    feed: async (_root, { gymId, ...request }, { feed }) => {
      const page = await feed.list(gymId, pageOf(request));
      return { ...connectionOf(page), complete: !page.missing?.length };
    },
  },
  FeedItem: {
    user: ({ userId }) => (userId ? { id: userId } : null),
    participants: ({ participantIds }) => participantIds.map((id) => ({ id })),
    group: ({ groupId }, _args, { groups }) => (groupId ? groups.find(groupId) : null),
  },
} satisfies Resolvers;
