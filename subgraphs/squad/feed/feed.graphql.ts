import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const feedGraphql = {
  Query: {
    feed: async (_root, { gymId, ...page }, { feed }) => connectionOf(await feed.list(gymId, pageOf(page))),
  },
  FeedItem: {
    user: ({ userId }) => (userId ? { id: userId } : null),
    participants: ({ participantIds }) => participantIds.map((id) => ({ id })),
    group: ({ groupId }, _args, { groups }) => (groupId ? groups.find(groupId) : null),
  },
} satisfies Resolvers;
