import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { eventSource } from '#server/event-source.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import { watchModule } from '../presence/module-watch.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { MessageShape } from './messages.shapes.ts';

export const messagesGraphql = {
  Query: {
    chatMessages: async (_root, { squadId, ...page }, { messages }) =>
      connectionOf(await messages.list(squadId, pageOf(page))),
    squadReports: async (_root, { gymId, ...page }, { messageReports }) =>
      connectionOf(await messageReports.list(gymId, pageOf(page))),
  },
  Mutation: {
    sendSquadMessage: (_root, { input }, { messages }) => messages.send(input),
    deleteSquadMessage: async (_root, { input }, { messages }) => {
      await messages.delete(input);
      return true;
    },
    reportSquadMessage: (_root, { input }, { messageReports }) => messageReports.report(input),
  },
  Subscription: {
    squadMessageAdded: {
      subscribe: (_root, { squadId, fromSeq }, { messages, onlineUsers }) =>
        eventSource<{ squadMessageAdded: MessageShape; [EVENT_KIND]: EventKind }>(async (stream) => {
          stream.onStop(await onlineUsers.connect());
          stream.onStop(watchModule(onlineUsers, { onOff: () => stream.end() }));
          stream.onStop(
            await messages.watch(squadId, fromSeq, {
              deliver: (message) => stream.push({ squadMessageAdded: message, [EVENT_KIND]: 'next' }),
              onEnd: () => stream.end(),
            }),
          );
        }),
    },
  },
  SquadMessage: {
    user: ({ userId }) => ({ id: userId }),
  },
  SquadMessageReport: {
    reporter: ({ reporterId }) => ({ id: reporterId }),
    author: ({ authorId }) => ({ id: authorId }),
  },
} satisfies Resolvers;
