import type { Resolvers } from '../resolvers.generated.ts';

export const presenceGraphql = {
  Query: {
    onlineUsers: (_root, { gymId }, { onlineUsers }) => onlineUsers.list(gymId),
  },
  Mutation: {
    goOnline: (_root, { input }, { onlineUsers }) => onlineUsers.goOnline(input),
  },
  OnlineUser: {
    user: ({ userId }) => ({ id: userId }),
  },
  User: {
    presence: ({ id }, _args, { onlineUsers }) => onlineUsers.presenceOf(id),
  },
} satisfies Resolvers;
