import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const historyGraphql = {
  User: {
    squadHistory: async ({ id }, args, { history, viewer }) =>
      viewer.kind === 'user' && viewer.userId === id
        ? connectionOf(await history.of(id, pageOf(args)))
        : null,
  },
  SquadWorkout: {
    routine: ({ routineId }) => (routineId ? { id: routineId } : null),
    participants: ({ participantIds }) => participantIds.map((id) => ({ id })),
  },
} satisfies Resolvers;
