import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const challengesGraphql = {
  Query: {
    challenges: (_root, { gymId }, { challenges }) => challenges.active(gymId),
    challenge: (_root, { id }, { challenges }) => orNull(challenges.get(id)),
  },
  Mutation: {
    createChallenge: (_root, { input }, { challenges }) => challenges.create(input),
    joinChallenge: (_root, { id }, { challenges }) => challenges.join(id),
    leaveChallenge: (_root, { id }, { challenges }) => challenges.leave(id),
    addChallengeProgress: (_root, { id, amount }, { challenges }) => challenges.progress(id, { amount }),
  },
  Gym: {
    challenges: async ({ id }, _args, { challenges }) => challenges.ofGym(id),
  },
  Challenge: {
    __resolveReference: async ({ id }, { challenges }) => challenges.get(id),
    leaderboard: async ({ id }, page, { challenges }) =>
      connectionOf(await challenges.leaderboard(id, pageOf(page))),
    ownRank: ({ id }, _args, { challenges }) => challenges.ownRank(id),
  },
  LeaderboardEntry: {
    user: ({ userId }) => ({ id: userId }),
  },
} satisfies Resolvers;
