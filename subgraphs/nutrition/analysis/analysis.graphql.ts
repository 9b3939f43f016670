import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const analysisGraphql = {
  Mutation: {
    analyzeFood: async (_root, { input: { images, prompt, locale } }, { analyses }) => {
      const files = await Promise.all((images ?? []).map((image) => uploadedFile(image, 'image')));
      return analyses.analyze(
        { prompt: prompt ?? undefined, locale: locale ?? undefined },
        files.map((file) => file.bytes),
      );
    },
  },
} satisfies Resolvers;
