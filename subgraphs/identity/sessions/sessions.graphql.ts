import type { Resolvers } from '../resolvers.generated.ts';

export const sessionsGraphql = {
  Query: {
    sessions: (_root, _args, { sessions }) => sessions.list(),
  },
  Mutation: {
    login: (_root, { input }, { sessions }) => sessions.login(input),
    refreshToken: (_root, { input }, { sessions }) => sessions.refresh(input),
    logout: async (_root, { input }, { sessions }) => {
      await sessions.logout(input ?? {});
      return true;
    },
    endSession: async (_root, { input }, { sessions }) => {
      await sessions.end(input.id);
      return true;
    },
  },
} satisfies Resolvers;
