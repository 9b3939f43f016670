import { callers, SERVICES } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { QrCodes } from './qr-codes.ts';
import { codeParams, ResolvedQrCodeShape, ShortLivedQrCodeShape } from './qr-codes.shapes.ts';

const route = restRoute<{ qrCodes: QrCodes }>(TAGS.profile);

export const qrCodesRest = [
  route({
    method: 'GET',
    path: '/users/me/qr',
    operationId: 'getMyShortLivedQrCode',
    summary: 'A check-in code of the caller that works for a minute',
    description:
      'Every request returns a new code. An app that shows it as a QR code requests the next one before `expiresAt`. A picture of the code is of no use after that; `POST /auth/qr/rotate` ends all of them at once.',
    auth: 'required',
    success: { status: 200, description: 'The code.', shape: ShortLivedQrCodeShape },
    handler: async (_request, { qrCodes }) =>
      new Reply(200, await qrCodes.mine(), { 'Cache-Control': 'private, no-store' }),
  }),
  route({
    method: 'GET',
    path: '/users/by-qr-code/:qrCode',
    operationId: 'getUserByQrCode',
    summary: 'The user with a QR code',
    only: callers("services, admins of the user's gym", 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'),
    auth: 'required',
    params: codeParams,
    success: { status: 200, description: 'The user.', shape: UserShape, variesWithinVersion: true },
    errors: ['FORBIDDEN', 'QR_EXPIRED'],
    handler: ({ params }, { qrCodes }) => qrCodes.userOf(params.qrCode),
  }),
  route({
    method: 'GET',
    path: '/qr-codes/:qrCode',
    operationId: 'resolveQrCode',
    summary: 'The owner of a code, also of an expired one',
    only: SERVICES,
    auth: 'required',
    params: codeParams,
    success: { status: 200, description: 'The owner and the kind of the code.', shape: ResolvedQrCodeShape },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { qrCodes }) => qrCodes.resolve(params.qrCode),
  }),
];
