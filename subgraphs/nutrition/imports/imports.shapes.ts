import { z } from 'zod';
import { timezone, uuid } from '#server/shapes.ts';
import { DATE_ORDERS, DECIMALS, DELIMITER_NAMES, ENCODINGS, type CsvOptions } from './csv-format.ts';
import { IMPORT_STATUSES } from './food-log-import.entity.ts';

const LineErrorShape = z
  .object({
    line: z.int(),
    column: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: 'ImportError' });
export type { LineError } from './food-log-import.entity.ts';

const CsvFormatShape = z
  .object({
    encoding: z.enum(ENCODINGS),
    delimiter: z.enum(DELIMITER_NAMES),
    decimal: z.enum(DECIMALS),
    dateOrder: z.enum(DATE_ORDERS).nullable(),
  })
  .meta({ id: 'CsvFormat', description: 'How the file was read.' });

export const FoodLogImportShape = z
  .object({
    id: uuid(),
    status: z.enum(IMPORT_STATUSES),
    lines: z.int(),
    imported: z.int(),
    duplicates: z.int(),
    failed: z.int(),
    errors: z.array(LineErrorShape),
    errorsOmitted: z.int(),
    format: CsvFormatShape.nullable(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'FoodLogImport' });
export type FoodLogImportShape = z.infer<typeof FoodLogImportShape>;

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z
    .string()
    .max(20)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(names, `expected one of ${names.join(', ')}`))
    .nullish();

/** The format that a request states. */
const formatOptions = {
  dateOrder: oneOf(DATE_ORDERS).meta({
    description:
      'DMY: 3/4/2026 is 3 April; MDY: it is 4 March. Default: detected from the first dates of the file; 400 if they are ambiguous.',
  }),
  decimal: oneOf(DECIMALS).meta({
    description:
      'POINT: 1.5 and 1,234.5; COMMA: 1,5 and 1.234,5. Default: detected from the first numbers of the file.',
  }),
  delimiter: oneOf(DELIMITER_NAMES).meta({ description: 'Default: detected from the header.' }),
  encoding: oneOf(ENCODINGS).meta({ description: 'Default: detected from the bytes of the file.' }),
};
export const CsvOptionsShape = z.object(formatOptions);

export const ImportQuery = z.object({
  importId: uuid().optional().meta({
    description:
      'An id that you choose, to read the progress by GET /log/imports/:id. An import that has failed can be repeated with its id; that of a running or finished one is a `CONFLICT`.',
  }),
  timezone: timezone.optional().meta({
    description: "IANA time zone that decides the day of an instant. Default: the user's profile.",
  }),
  ...formatOptions,
});
export interface ImportOptions extends CsvOptions {
  importId?: string | null | undefined;
  timezone?: string | null | undefined;
}
