import type { Resolvers } from '../resolvers.generated.ts';

export const keysGraphql = {
  Mutation: {
    rotateSigningKey: (_root, _args, { keys }) => keys.rotate(),
  },
} satisfies Resolvers;
