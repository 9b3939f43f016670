import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const auditGraphql = {
  Query: {
    auditEvents: async (_root, { userId, ...page }, { audit }) =>
      connectionOf(await audit.list({ ...pageOf(page), userId })),
  },
} satisfies Resolvers;
