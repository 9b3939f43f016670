import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const apiClientsGraphql = {
  Query: {
    apiClients: async (_root, { gymId, ...page }, { apiClients }) =>
      connectionOf(await apiClients.list({ gymId }, pageOf(page))),
  },
  Mutation: {
    createApiClient: (_root, { input }, { apiClients }) => apiClients.create(input),
    rotateApiClientSecret: (_root, { input }, { apiClients }) => apiClients.rotateSecret(input.id),
    deleteApiClient: async (_root, { input }, { apiClients }) => {
      await apiClients.delete(input.id);
      return true;
    },
  },
} satisfies Resolvers;
