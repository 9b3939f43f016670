import type { Resolvers } from '../resolvers.generated.ts';

export const suspensionsGraphql = {
  Mutation: {
    setSuspension: (_root, { input: { userId, ...change } }, { suspensions }) =>
      suspensions.set(userId, change),
  },
} satisfies Resolvers;
