import { z } from 'zod';
import { timezone } from '#server/shapes.ts';
import { IMPORT_UNITS, type ImportUnits } from './import-columns.ts';
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
  units: z
    .string()
    .max(10)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(IMPORT_UNITS, `expected one of ${IMPORT_UNITS.join(', ')}`))
    .optional()
    .meta({
      description:
        'Units of CSV columns that do not name one, as in older exports of Strong: METRIC (default; kg and km) or IMPERIAL (lb and mi).',
    }),
});
export interface ImportChoice {
  timezone?: string | null | undefined;
  units?: ImportUnits | null | undefined;
}
