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
      description: 'The default, then those of weekdays, then those of single dates.',
      shape: z.array(NutritionGoalShape),
    },
    errors: ['NOT_FOUND'],
    handler: ({ query }, { goals }) => goals.list(query.userId),
  }),
  route({
    method: 'PUT',
    path: '/goals',
    summary: 'Set your goal for a weekday, for a date, or with neither the default',
    description: 'What was there is replaced.',
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
    auth: 'required',
    query: GoalPlaceShape.safeExtend({ userId }),
    versioned: true,
    success: { status: 204, description: 'It is gone.' },
    errors: ['NOT_FOUND'],
    handler: ({ query, expectedVersion }, { goals }) => goals.delete(query, expectedVersion),
  }),
];
