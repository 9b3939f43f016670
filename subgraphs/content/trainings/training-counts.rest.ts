import { z } from 'zod';
import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import type { TrainingCounts } from './training-counts.ts';
import { TrainingCountShape, TrainingCountsQuery } from './training-counts.shapes.ts';

const route = restRoute<{ trainingCounts: TrainingCounts }>(INTERNAL);

/** Requests per minute: a recount of all challenges sends many, one for every 100 scores. */
const RATE = { name: 'training-counts', perMinute: 6_000, by: 'caller' } as const;

export const trainingCountsRest = [
  route({
    method: 'GET',
    path: '/training-counts',
    operationId: 'countTrainings',
    summary: 'How much users have trained in time ranges, for the scores of challenges',
    description:
      'A training counts in a range if it began in it and has ended, and if it had ended and was logged before the end of the range.',
    only: SERVICES,
    auth: 'required',
    rateLimit: RATE,
    query: TrainingCountsQuery,
    success: {
      status: 200,
      description: 'One count for each range, in their order.',
      shape: z.array(TrainingCountShape),
    },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { trainingCounts }) => trainingCounts.counts(query.of),
  }),
];
