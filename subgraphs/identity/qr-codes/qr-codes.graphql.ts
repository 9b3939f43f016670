import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const qrCodesGraphql = {
  Query: {
    myQr: (_root, _args, { qrCodes }) => qrCodes.mine(),
    userByQrCode: (_root, { qrCode }, { qrCodes }) => orNull(qrCodes.userOf(qrCode)),
  },
} satisfies Resolvers;
