import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const avatarsGraphql = {
  Mutation: {
    uploadAvatar: async (_root, { file }, { avatars }) => avatars.upload(await uploadedFile(file)),
  },
} satisfies Resolvers;
