import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { TrainingExports } from './training-csv.ts';
import { TrainingQuery } from './trainings.shapes.ts';

const route = restRoute<{ trainingExports: TrainingExports }>(TAGS.trainings);

export const trainingCsvRest = [
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
        'A header line and a line for each set; a training or an exercise without sets has a line, too.',
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
