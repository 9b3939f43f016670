import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import type { Goals } from './goals.ts';
import { GoalPlaceShape, NutritionGoalShape, SetGoalShape } from './goals.shapes.ts';

const route = restRoute<{ goals: Goals }>();
const userId = z
  .uuid()
  .optional()
  .meta({ description: 'For a service of the platform: whose. Users have their own.' });

export const goalsRest = [
  route({
    method: 'GET',
    path: '/goals',
    summary: 'Your nutrition goals',
    auth: 'required',
    query: z.object({ userId }),
    success: {
      status: 200,
      description:
        'The default, then those of weekdays, each the latest first with those that held before it, then those of single dates.',
      shape: z.array(NutritionGoalShape),
    },
    errors: ['NOT_FOUND'],
    handler: ({ query }, { goals }) => goals.list(query.userId),
  }),
  route({
    method: 'PUT',
    path: '/goals',
    summary: 'Set your goal for a weekday, for a date, or with neither the default',
    description:
      'It holds from a day on (`from`), until another one follows: days before keep the goal that held then. One of the same day is replaced.',
    auth: 'required',
    body: SetGoalShape,
    versioned: true,
    success: { status: 200, description: 'The goal.', shape: NutritionGoalShape },
    handler: ({ body, expectedVersion }, { goals }) => goals.set(body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/goals',
    summary: 'Take away your goal of a weekday or a date, or with neither the default',
    description: 'From a day on (`from`): days before keep it.',
    auth: 'required',
    query: GoalPlaceShape.safeExtend({ userId }),
    versioned: true,
    success: { status: 204, description: 'It is gone.' },
    errors: ['NOT_FOUND'],
    handler: ({ query, expectedVersion }, { goals }) => goals.delete(query, expectedVersion),
  }),
];
