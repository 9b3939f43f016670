import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { mapPage } from '#server/paging.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const feedGraphql = {
  Query: {
    feed: async (_root, { gymId = null, ...request }, { feed }) => {
      const page = await feed.list(gymId, pageOf(request));
      return {
        ...connectionOf(mapPage(page, (item) => ({ ...item, gymId }))),
        complete: !page.missing?.length,
      };
    },
  },
  FeedItem: {
    user: ({ userId }) => (userId ? { id: userId } : null),
    participants: ({ participantIds }) => participantIds.map((id) => ({ id })),
    group: ({ groupId, gymId }, _args, { groups }) => (groupId ? groups.find(groupId, gymId) : null),
  },
} satisfies Resolvers;
