import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const auditGraphql = {
  Query: {
    gymAudit: async (_root, { first, after, ...filter }, { auditTrail }) =>
      connectionOf(await auditTrail.list({ ...pageOf({ first, after }), ...filter })),
  },
} satisfies Resolvers;
