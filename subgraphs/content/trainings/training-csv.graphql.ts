import { text } from 'node:stream/consumers';
import type { Resolvers } from '../resolvers.generated.ts';

export const trainingCsvGraphql = {
  Mutation: {
    importTrainings: async (_root, { input: { file, ...options } }, { trainingImports }) =>
      trainingImports.run((await file).createReadStream(), options),
  },
  Query: {
    trainingCsv: async (_root, range, { trainingExports }) => text(await trainingExports.csv(range)),
  },
} satisfies Resolvers;
