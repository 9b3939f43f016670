import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { Avatars } from './avatars.ts';

const route = restRoute<{ avatars: Avatars }>(TAGS.profile);

export const avatarsRest = [
  route({
    method: 'POST',
    path: '/profile/upload',
    operationId: 'uploadMyAvatar',
    summary: 'Upload a new profile picture',
    description:
      'JPEG, PNG, WebP or AVIF of at most 10 MiB and 50 million pixels. The picture is cropped to a square, scaled down and encoded again, without its metadata.',
    auth: 'required',
    upload: { field: 'avatar' },
    success: {
      status: 200,
      description: 'The user with the path of the picture in `avatar`.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    handler: ({ files: [file] }, { avatars }) => file && avatars.upload(file),
  }),
  route({
    method: 'GET',
    path: '/avatars/:file',
    operationId: 'getAvatar',
    summary: 'A profile picture',
    auth: 'ignoreInvalidToken',
    params: z.object({
      file: z.string().meta({ description: 'The name of the file, from `avatar` of a user.' }),
    }),
    success: { status: 200, description: 'WebP, 512 x 512 pixels.', contentType: 'image/webp' },
    handler: async ({ params }, { avatars }) => {
      const { stream, length, etag } = await avatars.read(params.file);
      return new Reply(200, stream, {
        'Content-Type': 'image/webp',
        'Content-Length': String(length),
        'Cache-Control': 'public, max-age=31536000, immutable',
        ETag: etag,
      });
    },
  }),
];
