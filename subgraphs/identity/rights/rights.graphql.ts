import type { Resolvers } from '../resolvers.generated.ts';

export const rightsGraphql = {
  Mutation: {
    setRole: (_root, { input: { userId, role } }, { rights }) => rights.setRole(userId, { role }),
    setGym: (_root, { input: { userId, ...change } }, { rights }) => rights.setGym(userId, change),
  },
} satisfies Resolvers;
