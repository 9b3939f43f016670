import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { RegisterShape } from '../users/users.shapes.ts';
import { USER_IMPORT_LINE_STATUSES, USER_IMPORT_STATUSES } from './user-import.entity.ts';

/** One line of a file: a member to create. */
export const ImportedMemberShape = z.strictObject({
  email: RegisterShape.shape.email,
  displayName: RegisterShape.shape.displayName,
});
export type ImportedMember = z.infer<typeof ImportedMemberShape>;

export const UserImportLineShape = z
  .object({
    line: z.int().meta({ description: 'The line of the file; the first one is 1.' }),
    status: z.enum(USER_IMPORT_LINE_STATUSES).meta({
      description:
        'PENDING: not written yet. CREATED: a new account. EXISTING: an account with this email existed already, and was not changed. FAILED: see `errors`.',
    }),
    userId: uuid().nullable().meta({
      description:
        'The account of the line; null if there is none, if it has been deleted, or if it belongs to another gym.',
    }),
    errors: z
      .array(
        z.object({
          path: z.string().meta({ description: 'The field; empty if the error concerns the whole line.' }),
          message: z.string().meta({ description: 'What was expected.' }),
        }),
      )
      .nullable()
      .meta({ description: 'Null unless the status is FAILED.' }),
  })
  .meta({ id: 'UserImportLine' });
export type UserImportLineShape = z.infer<typeof UserImportLineShape>;

export const UserImportShape = z
  .object({
    id: uuid().meta({ description: "The import's id." }),
    gymId: uuid().meta({ description: 'The gym of the new accounts.' }),
    status: z.enum(USER_IMPORT_STATUSES).meta({
      description:
        'RECEIVING: the file is still arriving. RUNNING: the file is stored, and its lines are written. DONE: every line has a result.',
    }),
    total: z.int().meta({ description: 'The number of lines, without the header and empty lines.' }),
    created: z.int().meta({ description: 'Lines that created an account.' }),
    existing: z
      .int()
      .meta({ description: 'Lines whose email has an account already, which was not changed.' }),
    failed: z.int().meta({ description: 'Lines with errors, which created nothing.' }),
    startedAt: z.iso.datetime().meta({ description: 'When the file began to arrive.' }),
    finishedAt: z.iso.datetime().nullable().meta({ description: 'Null until the status is DONE.' }),
  })
  .meta({ id: 'UserImport' });
export type UserImportShape = z.infer<typeof UserImportShape>;

export const LINES_LIMIT = 1_000;

export const UserImportLinesQuery = z.object({
  status: z.enum(USER_IMPORT_LINE_STATUSES).optional().meta({ description: 'Only lines with this status.' }),
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1) // the largest value of the column; a file may have millions of empty lines
    .optional()
    .meta({ description: 'Only lines after this line of the file.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LINES_LIMIT)
    .optional()
    .meta({ description: `The maximum number of lines, at most ${LINES_LIMIT}, which is the default.` }),
});
export type UserImportLinesQuery = z.infer<typeof UserImportLinesQuery>;

export const UserImportWithLinesShape = UserImportShape.extend({
  lines: z.array(UserImportLineShape).meta({ description: 'Lines in the order of the file.' }),
  nextAfter: z.int().nullable().meta({
    description: 'The `after` of a request for the following lines; null if there are none.',
  }),
}).meta({ id: 'UserImportWithLines' });
export type UserImportWithLinesShape = z.infer<typeof UserImportWithLinesShape>;
