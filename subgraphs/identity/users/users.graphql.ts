import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const usersGraphql = {
  Query: {
    me: (_root, _args, { users }) => users.me(),
    user: (_root, { id }, { users }) => users.find(id),
    users: async (_root, { gymId, search, status, ...page }, { users }) =>
      connectionOf(await users.list({ gymId, search, status }, pageOf(page))),
    superAdmins: (_root, _args, { users }) => users.superAdmins(),
  },
  Mutation: {
    register: (_root, { input }, { users }) => users.register(input),
  },
  User: {
    __resolveReference: async ({ id }, { users }) => users.find(id),
    membership: (user) => user.membership ?? null,
    emailVerified: (user) => user.emailVerified ?? null,
    suspension: (user) => user.suspension ?? null,
    body: (user) => user.body ?? null,
    trainingGoals: (user) => user.trainingGoals ?? null,
  },
} satisfies Resolvers;
