import { z } from 'zod';
import { timezone } from '#server/shapes.ts';
import { IMPORT_STATUSES } from './food-log-import.entity.ts';

const LineErrorShape = z
  .object({
    line: z.int().meta({ description: 'Line of the file, the first is 1.' }),
    column: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: 'ImportError' });
export type { LineError } from './food-log-import.entity.ts';

export const FoodLogImportShape = z
  .object({
    id: z.uuid(),
    status: z.enum(IMPORT_STATUSES).meta({
      description: 'FAILED: broken off; what was imported stays, and the same file sent again goes on.',
    }),
    lines: z.int().meta({ description: 'Lines read so far, without the header.' }),
    imported: z.int(),
    duplicates: z.int().meta({ description: 'Lines that were imported before.' }),
    failed: z.int().meta({ description: 'Lines that are wrong; they are left out.' }),
    errors: z
      .array(LineErrorShape)
      .meta({ description: 'What is wrong with them; at most the first 1,000.' }),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'FoodLogImport' });
export type FoodLogImportShape = z.infer<typeof FoodLogImportShape>;

export const ImportQuery = z.object({
  importId: z.uuid().optional().meta({
    description: 'An id of your own making, to ask for the progress meanwhile by GET /log/imports/:id.',
  }),
  timezone: timezone.optional().meta({
    description: "IANA time zone that decides the day of a time. Default: the one of the user's profile.",
  }),
});
export type ImportOptions = { importId?: string | null | undefined; timezone?: string | null | undefined };
