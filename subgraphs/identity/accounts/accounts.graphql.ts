import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const accountsGraphql = {
  Query: {
    exportMyAccount: (_root, _args, { accounts }) => accounts.export(),
    accountDeletion: (_root, { id }, { accounts }) => orNull(accounts.deletion(id)),
  },
  Mutation: {
    deleteMyAccount: (_root, { input }, { accounts }) => accounts.delete(input),
  },
} satisfies Resolvers;
