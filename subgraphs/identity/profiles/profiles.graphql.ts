import type { Resolvers } from '../resolvers.generated.ts';

export const profilesGraphql = {
  Mutation: {
    updateProfile: (_root, { input }, { profiles }) => profiles.update(input),
    rotateQrCode: (_root, _args, { profiles }) => profiles.rotateQrCode(),
  },
} satisfies Resolvers;
