import type { Resolvers } from '../resolvers.generated.ts';

export const sessionsGraphql = {
  Query: {
    sessions: (_root, _args, { sessions }) => sessions.list(),
  },
  Mutation: {
    login: (_root, { input }, { sessions }) => sessions.login(input),
  },
} satisfies Resolvers;
