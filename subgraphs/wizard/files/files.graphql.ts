import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const filesGraphql = {
  Mutation: {
    uploadWizardFile: async (_root, { input: { id, resumeToken, file, version, ...target } }, { files }) =>
      files.upload(id, target, await uploadedFile(file), resumeToken, version ?? undefined),
  },
} satisfies Resolvers;
