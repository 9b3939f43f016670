import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const auditGraphql = {
  Query: {
    auditEvents: async (_root, { userId, ...page }, { audit }) =>
      connectionOf(await audit.listAll({ ...pageOf(page), userId })),
    accountAudit: async (_root, { first, after, ...filter }, { audit }) =>
      connectionOf(await audit.list({ ...pageOf({ first, after }), ...filter })),
  },
} satisfies Resolvers;
