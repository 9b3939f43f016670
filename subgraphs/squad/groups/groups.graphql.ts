import { pageSize } from '#server/paging.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const groupsGraphql = {
  Query: {
    groups: (_root, { gymId }, { groups }) => groups.list(gymId),
  },
  Mutation: {
    createGroup: (_root, { input }, { groups }) => groups.create(input),
    joinGroup: (_root, { input }, { groups }) => groups.join(input.groupId),
    leaveGroup: (_root, { input }, { groups }) => groups.leave(input.groupId),
  },
  Group: {
    __resolveReference: async ({ id }, { groups }) => groups.find(id),
    createdBy: ({ createdBy }) => (createdBy ? { id: createdBy } : null),
    members: ({ memberIds }, { first }) =>
      memberIds.slice(0, pageSize({ limit: first })).map((id) => ({ id })),
  },
} satisfies Resolvers;
