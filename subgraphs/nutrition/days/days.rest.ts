import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { ownerParams } from '../food-logs/food-logs.rest.ts';
import type { Days } from './days.ts';
import { ChartQuery, DailyQuery, DailyShape, SeriesPointShape, SeriesQuery } from './days.shapes.ts';

const route = restRoute<{ days: Days }>(TAGS.days, 'nutrition');

export const daysRest = [
  route({
    method: 'GET',
    path: '/history/:userId/daily',
    operationId: 'listDays',
    summary: 'Days with their entries, totals, goals and the remaining amounts',
    description:
      'Every day of the range, at most 92, with together at most 10,000 entries; default: the last seven days. Averages are over the days with entries.',
    auth: 'required',
    params: ownerParams,
    query: DailyQuery,
    success: { status: 200, description: 'The days.', shape: DailyShape },
    handler: ({ params, query }, { days }) => days.daily(params.userId, query),
  }),
  route({
    method: 'GET',
    path: '/history/:userId/series',
    operationId: 'getNutritionSeries',
    summary: 'Totals and averages by day, week or month',
    description:
      'At most ten years; default: the last 30 days. The time of a request does not grow with the number of entries.',
    auth: 'required',
    params: ownerParams,
    query: SeriesQuery,
    success: {
      status: 200,
      description: 'One point for each bucket, the oldest first, also for buckets without entries.',
      shape: z.array(SeriesPointShape),
    },
    handler: ({ params, query }, { days }) => days.series(params.userId, query),
  }),
  route({
    method: 'GET',
    path: '/history/:userId/chart.svg',
    operationId: 'getNutritionChart',
    summary: 'A picture of the series: a bar for each day, week or month, and a line for the goal',
    description: 'Its colours follow the light or dark scheme of the viewer.',
    auth: 'required',
    params: ownerParams,
    query: ChartQuery,
    success: { status: 200, description: 'The picture.', contentType: 'image/svg+xml' },
    handler: async ({ params, query }, { days }) =>
      new Reply(200, await days.chart(params.userId, query), {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        'Cache-Control': 'private, no-cache',
      }),
  }),
];
