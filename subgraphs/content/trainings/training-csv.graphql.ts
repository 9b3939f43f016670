import type { Resolvers } from '../resolvers.generated.ts';

export const trainingCsvGraphql = {
  Mutation: {
    importTrainings: async (_root, { input: { file, ...options } }, { trainingImports }) =>
      trainingImports.run((await file).createReadStream(), options),
  },
  Query: {
    trainingCsv: (_root, range, { trainingExports }) => trainingExports.csvText(range),
  },
} satisfies Resolvers;
