import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { MAX_BYTES } from './imported-lines.ts';
import type { TrainingImports } from './imports.ts';
import { ImportQuery, TrainingImportShape } from './imports.shapes.ts';
import type { TrainingExports } from './training-csv.ts';
import { TrainingQuery } from './trainings.shapes.ts';

const route = restRoute<{ trainingExports: TrainingExports; trainingImports: TrainingImports }>(
  TAGS.trainings,
  'content',
);

export const trainingCsvRest = [
  route({
    method: 'POST',
    path: '/trainings/import',
    operationId: 'importTrainings',
    summary: 'Import trainings from CSV, FIT or TCX',
    description:
      'The file is the body, or a multipart file; its content decides how it is read. CSV has a line for each set. Its first line names the columns: startedAt, exercise or exerciseId, and those of the export; exports of Strong and Hevy are also accepted. FIT and TCX are activities of watches: each becomes a training, with a set for each lap, or for each set with repetitions. At most 50,000 lines, laps or sets, and 10 MiB. ' +
      'Every line is imported, or is a duplicate, or is wrong and reported. For an exercise that you cannot see and have not trained, a custom exercise with its name is added for you. The same file, or a corrected one, can be sent again: sets that the training log has already are duplicates.',
    auth: 'required',
    query: ImportQuery,
    consumes: ['text/csv', 'application/vnd.ant.fit', 'application/vnd.garmin.tcx+xml'],
    upload: { field: 'file', maxBytes: MAX_BYTES },
    success: { status: 200, description: 'The result for the lines.', shape: TrainingImportShape },
    errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE'],
    handler: ({ stream, query }, { trainingImports }) => trainingImports.run(stream, query),
  }),
  route({
    method: 'GET',
    path: '/trainings/export.csv',
    operationId: 'exportTrainings',
    summary: 'Your trainings as CSV, the oldest first',
    auth: 'required',
    query: z.object({ from: TrainingQuery.shape.from, to: TrainingQuery.shape.to }),
    success: {
      status: 200,
      description:
        'A header line and a line for each set; a training or an exercise without sets has a line, too. POST /trainings/import accepts the file.',
      contentType: 'text/csv',
    },
    handler: async ({ query }, { trainingExports }) =>
      new Reply(200, await trainingExports.csv(query), {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="trainings.csv"',
        'Cache-Control': 'no-store',
      }),
  }),
];
