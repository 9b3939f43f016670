import type { Resolvers } from '../resolvers.generated.ts';

export const groupsGraphql = {
  Query: {
    groups: (_root, { gymId }, { groups }) => groups.list(gymId),
  },
  Group: {
    createdBy: ({ createdBy }) => ({ id: createdBy }),
    members: ({ memberIds }) => memberIds.map((id) => ({ id })),
  },
} satisfies Resolvers;
