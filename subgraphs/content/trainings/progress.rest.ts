import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Progress } from './progress.ts';
import {
  ExerciseRecordsShape,
  LastSetsShape,
  ProgressQuery,
  ProgressShape,
  SummaryQuery,
  TrainingSummaryShape,
} from './progress.shapes.ts';
import type { Summaries } from './summaries.ts';

const route = restRoute<{ progress: Progress; summaries: Summaries }>(TAGS.trainings, 'content');

export const progressRest = [
  route({
    method: 'GET',
    path: '/trainings/summary',
    operationId: 'getTrainingSummary',
    summary: 'Number, minutes and volume of your trainings, by muscle and over time, and your streak',
    description:
      'At most ten years (by day: 366 days); default: the last 30 days. A volume counts for each primary muscle of its exercise. `streakWeeks` counts weeks from Monday with a training, up to `to`; the week that is not over does not end the streak.',
    auth: 'required',
    query: SummaryQuery,
    success: { status: 200, description: 'The sums.', shape: TrainingSummaryShape },
    handler: ({ query }, { summaries }) => summaries.summary('me', query),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id/last',
    operationId: 'getLastSets',
    summary: 'The sets of your last training with an exercise',
    description:
      'A training that is running is the last one only if you have finished none with the exercise.',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The sets; none if you have no such training.',
      shape: LastSetsShape,
    },
    handler: ({ params }, { progress }) => progress.last(params.id),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id/records',
    operationId: 'getExerciseRecords',
    summary: 'Your records with an exercise',
    description:
      'Each with the set and the training that made it; null if there is none. `e1rm` is the weight that you could lift once, by Epley, from sets of at most 12 repetitions. Sets to warm up do not count.',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The records.', shape: ExerciseRecordsShape },
    handler: ({ params }, { progress }) => progress.records(params.id),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id/progress',
    operationId: 'getExerciseProgress',
    summary: 'Your progress with an exercise',
    description:
      'One point for each training with a value, or with `bucket` the best point of each day, week or month, the oldest first; at most the latest 4,000.',
    auth: 'required',
    params: idParams,
    query: ProgressQuery,
    success: { status: 200, description: 'The series.', shape: ProgressShape },
    handler: ({ params, query }, { progress }) => progress.series(params.id, query),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id/progress.svg',
    operationId: 'getExerciseProgressChart',
    summary: 'A picture of your progress with an exercise',
    description: 'Its colours follow the light or dark scheme of the viewer. At most ten years.',
    auth: 'required',
    params: idParams,
    query: ProgressQuery,
    success: { status: 200, description: 'The picture.', contentType: 'image/svg+xml' },
    handler: async ({ params, query }, { progress }) =>
      new Reply(200, await progress.chart(params.id, query), {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        'Cache-Control': 'private, no-cache',
      }),
  }),
];
