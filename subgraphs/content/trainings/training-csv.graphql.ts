import { text } from 'node:stream/consumers';
import type { Resolvers } from '../resolvers.generated.ts';

export const trainingCsvGraphql = {
  Query: {
    trainingCsv: async (_root, range, { trainingExports }) => text(await trainingExports.csv(range)),
  },
} satisfies Resolvers;
