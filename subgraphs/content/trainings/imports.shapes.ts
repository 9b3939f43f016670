import { z } from 'zod';
import { timezone } from '#server/shapes.ts';
import { ExerciseShape } from '../exercises/exercises.shapes.ts';

export const TrainingImportShape = z
  .object({
    lines: z.int(),
    imported: z.int(),
    duplicates: z.int(),
    failed: z.int(),
    errors: z.array(
      z
        .object({ line: z.int(), column: z.string().nullable(), message: z.string() })
        .meta({ id: 'TrainingImportError' }),
    ),
    errorsOmitted: z.int(),
    trainings: z.int(),
    created: z.array(ExerciseShape),
  })
  .meta({ id: 'TrainingImport' });
export type TrainingImportShape = z.infer<typeof TrainingImportShape>;

export const ImportQuery = z.object({
  timezone: timezone.optional().meta({
    description: "IANA time zone of times without an offset. Default: the user's profile.",
  }),
});
