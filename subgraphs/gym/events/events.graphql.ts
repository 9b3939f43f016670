import type { Resolvers } from '../resolvers.generated.ts';

export const eventsGraphql = {
  Query: {
    events: (_root, args, { events }) => events.read(args),
  },
} satisfies Resolvers;
