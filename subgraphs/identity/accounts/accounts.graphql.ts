import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const accountsGraphql = {
  Query: {
    exportMyAccount: (_root, _args, { accountExports }) => accountExports.documentAsJson(),
    accountExports: (_root, _args, { accountExports }) => accountExports.list(),
    accountExport: (_root, { id }, { accountExports }) => orNull(accountExports.get(id)),
    accountDeletion: (_root, { id }, { accounts }) => orNull(accounts.deletion(id)),
  },
  Mutation: {
    requestAccountExport: (_root, _args, { accountExports }) => accountExports.request(),
    deleteMyAccount: (_root, { input }, { accounts }) => accounts.delete(input),
  },
} satisfies Resolvers;
