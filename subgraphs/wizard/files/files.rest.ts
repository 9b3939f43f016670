import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { UPLOAD_RATE } from '../rates.ts';
import { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { Files } from './files.ts';
import { UploadFieldsShape } from './files.shapes.ts';

const route = restRoute<{ files: Files }>(TAGS.wizardSessions, 'wizard');

/** Headers that keep an uploaded file from running as a script in the platform's origin. */
const INERT = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

export const filesRest = [
  route({
    method: 'POST',
    path: '/:sessionId/uploads',
    operationId: 'uploadWizardFile',
    summary: 'Upload a file into a step',
    description:
      "Branding accepts pictures in `logo`, `splash` and `icon`; basics, branding, locations, body and review accept a `document` (a PDF or a picture). JPEG, PNG, WebP and AVIF pictures, detected by their content, are encoded again; at most 10 MiB. The file's URL is then in the step's data. A session without an account needs `X-Resume-Token`.",
    auth: 'optional',
    rateLimit: UPLOAD_RATE,
    params: z.object({ sessionId: uuid().meta({ description: "The wizard session's id." }) }),
    upload: { field: 'file' },
    body: UploadFieldsShape,
    versioned: true,
    success: { status: 201, description: 'The session with the file in `files`.', shape: WizardSessionShape },
    errors: ['CONFLICT', 'WIZARD_VERSION_UNSUPPORTED'],
    handler: ({ params: { sessionId }, body, files: [file], header, expectedVersion }, { files }) =>
      file && files.upload(sessionId, body, file, header('x-resume-token'), expectedVersion),
  }),
  route({
    method: 'GET',
    path: '/:sessionId/files/:fileId',
    operationId: 'getWizardFile',
    summary: 'A file of a session',
    description: 'Callers who may open the session may read the file; pictures of a deployed gym are public.',
    auth: 'ignoreInvalidToken',
    params: z.object({
      sessionId: uuid().meta({ description: "The wizard session's id." }),
      fileId: uuid().meta({ description: "The file's id." }),
    }),
    success: { status: 200, description: 'A picture (WebP) or a PDF.', contentType: 'image/webp' },
    handler: async ({ params: { sessionId, fileId }, header }, { files }) => {
      const { stream, length, etag, file, isPublic } = await files.read(
        sessionId,
        fileId,
        header('x-resume-token'),
      );
      return new Reply(200, stream, {
        ...INERT,
        'Content-Type': file.contentType,
        'Content-Length': String(length),
        'Content-Disposition':
          file.contentType === 'image/webp'
            ? 'inline'
            : `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
        'Cache-Control': isPublic ? 'public, max-age=31536000, immutable' : 'private, no-store',
        'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-origin',
        ETag: etag,
      });
    },
  }),
];
