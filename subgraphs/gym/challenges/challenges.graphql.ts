import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import { MAX_PAGE_SIZE } from '#server/paging.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const challengesGraphql = {
  Query: {
    challenges: async (_root, { gymId, status }, { challenges }) => [
      ...(await challenges.list({ gymId, status }, { limit: MAX_PAGE_SIZE })).items,
    ],
    pastChallenges: async (_root, { gymId, ...page }, { challenges }) =>
      connectionOf(await challenges.list({ gymId, status: 'ENDED' }, pageOf(page))),
    challenge: (_root, { id }, { challenges }) => orNull(challenges.get(id)),
  },
  Mutation: {
    createChallenge: (_root, { input }, { challengePlans }) => challengePlans.create(input),
    updateChallenge: (_root, { input: { id, ...change } }, { challengePlans }) =>
      challengePlans.update(id, change),
    deleteChallenge: async (_root, { input: { id, version } }, { challengePlans }) => {
      await challengePlans.remove(id, version);
      return true;
    },
    joinChallenge: (_root, { id }, { challenges }) => challenges.join(id),
    leaveChallenge: (_root, { id }, { challenges }) => challenges.leave(id),
    addChallengeProgress: (_root, { id, ...input }, { challengeProgress }) =>
      challengeProgress.add(id, input),
    recountChallenge: async (_root, { id }, { challengePlans }) =>
      (await challengePlans.recount(id)).participants,
  },
  Gym: {
    challenges: async ({ id }, _args, { challenges }) => challenges.active(id),
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
