import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { formatOf } from './import-lines.ts';

export const userImportsGraphql = {
  Query: {
    userImport: (_root, { id }, { userImports }) => orNull(userImports.get(id)),
  },
  Mutation: {
    importUsers: async (_root, { input: { file, ...options } }, { userImports }) => {
      const { createReadStream, mimetype } = await file;
      return userImports.receive(createReadStream(), { ...options, format: formatOf(mimetype) });
    },
  },
  UserImport: {
    lines: async ({ id }, { first, ...query }, { userImports }) =>
      (await userImports.withLines(id, { ...query, limit: first })).lines,
  },
} satisfies Resolvers;
