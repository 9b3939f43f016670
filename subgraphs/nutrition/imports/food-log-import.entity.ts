import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import type { CsvFormat } from './csv-format.ts';

export const IMPORT_STATUSES = ['RUNNING', 'DONE', 'FAILED'] as const;
type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** An error in a line of the file; the first line is 1. */
export interface LineError {
  line: number;
  column: string | null;
  message: string;
}

/** The progress, or the result, of an import of a CSV file. */
const FoodLogImportSchema = defineEntity({
  name: 'FoodLogImport',
  tableName: 'food_log_import',
  indexes: [
    { properties: ['userId', 'id'] },
    { properties: ['startedAt'] },
    // for the job that ends interrupted imports
    {
      name: 'food_log_import_running',
      expression: `create index "food_log_import_running" on "food_log_import" ("renewed_at") where "status" = 'RUNNING'`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    status: p.string().$type<ImportStatus>().length(10),
    lines: p.integer().default(0),
    imported: p.integer().default(0),
    duplicates: p.integer().default(0),
    failed: p.integer().default(0),
    errors: p.json<LineError[]>(),
    errorsOmitted: p.integer().default(0),
    format: p.json<CsvFormat>().nullable(),
    startedAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
    /** Identifies the request that writes the import. After a repetition, the earlier request can no longer write. */
    runId: p.uuid().nullable(),
    /** When the request last renewed the lease of the import, by the clock of the database. */
    renewedAt: p.datetime().defaultRaw('now()'),
  },
});

export class FoodLogImport extends FoodLogImportSchema.class {}
FoodLogImportSchema.setClass(FoodLogImport);
