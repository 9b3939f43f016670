import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import { UpdateProfileShape, UserShape } from '../users/users.shapes.ts';
import type { Profiles } from './profiles.ts';
import { qrPng, qrSvg } from './qr-pictures.ts';

const route = restRoute<{ profiles: Profiles }>(TAGS.profile);

/** Everybody who has a picture of the code can check in with it, so no cache may store the picture. */
const NOT_STORED = { 'Cache-Control': 'private, no-store' };

export const profilesRest = [
  route({
    method: 'PUT',
    path: '/profile',
    operationId: 'updateMyProfile',
    summary: 'Update the personal profile of the caller',
    description:
      'Fields that are absent or null are unchanged. `body` changes the keys that it contains, and a null in it removes the value; `trainingGoals` replaces the stored ones as a whole; an empty `bio` removes the stored one. A service of the platform names the user by `userId`.',
    auth: 'required',
    body: UpdateProfileShape,
    versioned: true,
    success: {
      status: 200,
      description: 'The changed user.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['NOT_FOUND', 'VERSION_CONFLICT'],
    handler: ({ body, expectedVersion }, { profiles }) => profiles.update(body, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/auth/qr/rotate',
    operationId: 'rotateMyQrCode',
    summary: 'Get a new QR code',
    description: 'The previous code, and all codes of `GET /users/me/qr`, are no longer valid.',
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'The user with the new `qrCode`.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    handler: (_request, { profiles }) => profiles.rotateQrCode(),
  }),
  route({
    method: 'GET',
    path: '/users/me/qr.svg',
    operationId: 'getMyQrCodeAsSvg',
    summary: 'The QR code of the caller as SVG',
    auth: 'required',
    success: { status: 200, description: 'A picture.', contentType: 'image/svg+xml' },
    handler: async (_request, { profiles }) =>
      new Reply(200, await qrSvg(await profiles.qrCode()), {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        ...NOT_STORED,
      }),
  }),
  route({
    method: 'GET',
    path: '/users/me/qr.png',
    operationId: 'getMyQrCodeAsPng',
    summary: 'The QR code of the caller as PNG',
    auth: 'required',
    success: { status: 200, description: 'A picture of 512 x 512 pixels.', contentType: 'image/png' },
    handler: async (_request, { profiles }) =>
      new Reply(200, await qrPng(await profiles.qrCode()), { 'Content-Type': 'image/png', ...NOT_STORED }),
  }),
];
