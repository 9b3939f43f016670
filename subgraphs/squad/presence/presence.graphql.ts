import { eventSource } from '#server/event-source.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { OnlineUsersUpdate } from './presence.shapes.ts';

export const presenceGraphql = {
  Query: {
    onlineUsers: (_root, { gymId }, { onlineUsers }) => onlineUsers.list(gymId),
  },
  Mutation: {
    goOnline: (_root, { input }, { onlineUsers }) => onlineUsers.goOnline(input),
  },
  Subscription: {
    onlineUsersUpdated: {
      subscribe: (_root, { gymId }, { onlineUsers }) =>
        eventSource<{ onlineUsersUpdated: OnlineUsersUpdate }>(
          async (stream) => {
            stream.onStop(await onlineUsers.connect());
            const board = await onlineUsers.watch({
              gymId,
              deliver: (update) => stream.push({ onlineUsersUpdated: update }) || board.refresh(),
            });
            stream.onStop(board.stop);
            stream.push({ onlineUsersUpdated: board.snapshot() });
          },
          { whenFull: 'start-again' },
        ),
    },
  },
  OnlineUser: {
    user: ({ userId }) => ({ id: userId }),
  },
  OnlineUsersUpdate: {
    users: ({ users }) => [...users],
    removed: ({ removed }) => [...removed],
  },
  User: {
    presence: ({ id }, _args, { onlineUsers }) => onlineUsers.presenceOf(id),
  },
} satisfies Resolvers;
