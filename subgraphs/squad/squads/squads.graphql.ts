import { eventSource } from '#server/event-source.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import { watchModule } from '../presence/module-watch.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { routineOf } from './squad-view.ts';
import type { SquadShape } from './squads.shapes.ts';

export const squadsGraphql = {
  Query: {
    squadSession: (_root, { id }, { squads }) => squads.get(id),
    mySquads: (_root, _args, { squads }) => squads.mine(),
  },
  Mutation: {
    createSquad: (_root, { input }, { squads }) => squads.create(input),
    joinSquad: async (_root, { input }, { squads }) => (await squads.join(input)).session,
    leaveSquad: (_root, { input }, { squads }) => squads.leave(input),
    startSquad: (_root, { input }, { squads }) => squads.start(input),
    pauseSquad: (_root, { input }, { squads }) => squads.pause(input),
    endSquad: (_root, { input }, { squads }) => squads.end(input),
    kickFromSquad: (_root, { input }, { squads }) => squads.kick(input),
    makeSquadHost: (_root, { input }, { squads }) => squads.makeHost(input),
    updateSquadWorkout: async (_root, { input }, { squads }) => (await squads.updateWorkout(input)).session,
  },
  Subscription: {
    squadUpdated: {
      subscribe: (_root, { squadId, fromRevision }, { squads, onlineUsers }) =>
        eventSource<{ squadUpdated: SquadShape; [EVENT_KIND]: EventKind }>(async (stream) => {
          stream.onStop(await onlineUsers.connect());
          stream.onStop(watchModule(onlineUsers, { onOff: () => stream.end() }));
          const { session, stop } = await squads.watch(squadId, undefined, {
            deliver: (_event, changed) => stream.push({ squadUpdated: changed, [EVENT_KIND]: 'whole' }),
            onEnd: () => stream.end(),
          });
          stream.onStop(stop);
          if (typeof fromRevision === 'number' && session.revision > fromRevision)
            stream.push({ squadUpdated: session, [EVENT_KIND]: 'whole' });
        }),
    },
  },
  SquadSession: {
    __resolveReference: async ({ id }, { squads }) => squads.find(id),
    host: ({ hostId }) => ({ id: hostId }),
    routine: ({ routineId, routineVersion }) => routineOf(routineId, routineVersion),
  },
  SquadParticipant: {
    user: ({ userId }) => ({ id: userId }),
  },
} satisfies Resolvers;
