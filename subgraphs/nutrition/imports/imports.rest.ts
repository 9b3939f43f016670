import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { day, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { MAX_BYTES } from './csv-lines.ts';
import { ownerParams } from '../food-logs/food-logs.rest.ts';
import type { Imports } from './imports.ts';
import { FoodLogImportShape, ImportQuery } from './imports.shapes.ts';

const route = restRoute<{ imports: Imports }>(TAGS.foodLog, 'nutrition');

export const importsRest = [
  route({
    method: 'POST',
    path: '/log/import',
    operationId: 'importFoodLog',
    summary: 'Import a food log from CSV',
    description:
      'The file is the body, or a multipart file. The first line names the columns: foodName, calories, and loggedAt or localDate; optionally mealType, quantity, unit, grams, protein, carbs, fats. Exports of MyFitnessPal, Cronometer and FatSecret are also accepted. At most 100,000 lines and 25 MiB. ' +
      'The file may be in UTF-8, UTF-16 or Windows-1252, with comma, semicolon or tab between fields, and with decimal points or commas. This is detected, and stated in `format`. ' +
      'Every line is imported, or is a duplicate, or is wrong and reported. Lines are written a thousand at a time. If the connection breaks, send the file again: lines that were imported before are not imported twice. An import that has failed, or whose server was killed, can be repeated with the same `importId`, a killed one after 15 seconds. A line for a day with 1,000 entries, the most that a day can have, is reported as wrong.',
    auth: 'required',
    query: ImportQuery,
    consumes: ['text/csv'],
    upload: { field: 'file', maxBytes: MAX_BYTES },
    success: { status: 200, description: 'The result for the lines.', shape: FoodLogImportShape },
    errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE'],
    handler: ({ stream, query }, { imports }) => imports.run(stream, query),
  }),
  route({
    method: 'GET',
    path: '/log/imports/:id',
    operationId: 'getFoodLogImport',
    summary: 'The progress, or the result, of an import',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The import.', shape: FoodLogImportShape },
    handler: ({ params }, { imports }) => imports.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/history/:userId/export.csv',
    operationId: 'exportFoodLog',
    summary: 'The food log as CSV, the oldest entry first',
    auth: 'required',
    params: ownerParams,
    query: z.object({ from: day.optional(), to: day.optional() }),
    success: {
      status: 200,
      description: 'A header line and a line for each entry. POST /log/import accepts the file.',
      contentType: 'text/csv',
    },
    handler: async ({ params, query }, { imports }) =>
      new Reply(200, await imports.export(params.userId, query), {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="food-log.csv"',
        'Cache-Control': 'no-store',
      }),
  }),
];
