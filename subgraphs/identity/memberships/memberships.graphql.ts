import type { Resolvers } from '../resolvers.generated.ts';

export const membershipsGraphql = {
  Mutation: {
    setMembership: (_root, { input: { userId, ...change } }, { memberships }) =>
      memberships.set(userId, change),
    joinGym: (_root, { input: { gymId } }, { memberships }) => memberships.join(gymId),
  },
} satisfies Resolvers;
