import { z } from 'zod';

export const UploadFieldsShape = z.object({
  step: z.string('expected the key of a step').max(64),
  field: z.string('expected the name of a file field of the step').max(64),
});
