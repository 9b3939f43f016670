import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { routineOf } from '../squads/squad-view.ts';

export const historyGraphql = {
  User: {
    squadHistory: async ({ id }, args, { history, viewer }) =>
      viewer.kind === 'user' && viewer.userId === id
        ? connectionOf(await history.of(id, pageOf(args)))
        : null,
  },
  SquadWorkout: {
    routine: ({ routineId, routineVersion }) => routineOf(routineId, routineVersion),
    participants: ({ participantIds }) => participantIds.map((id) => (id === null ? null : { id })),
  },
} satisfies Resolvers;
