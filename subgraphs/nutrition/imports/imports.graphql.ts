import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const importsGraphql = {
  Query: {
    foodLogImport: (_root, { id }, { imports }) => orNull(imports.get(id)),
  },
  Mutation: {
    importFoodLogs: async (_root, { input: { file, ...options } }, { imports }) =>
      imports.run((await file).createReadStream(), options),
  },
  User: {
    foodLogCsv: ({ id }, range, { imports }) => imports.exportText(id, range),
  },
} satisfies Resolvers;
