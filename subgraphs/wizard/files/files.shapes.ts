import { z } from 'zod';

export const UploadFieldsShape = z.object({
  step: z
    .string('expected the key of a step')
    .max(64)
    .meta({ description: 'Key of the step that the file belongs to.' }),
  field: z.string('expected the name of a file field of the step').max(64).meta({
    description:
      'A file field of the step: `logo`, `splash` or `icon` of `branding`, `document` of basics, branding, locations, body and review.',
  }),
});
