import { z } from 'zod';
import { idParams, uuid } from '#server/shapes.ts';
import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { Goals } from './goals.ts';
import { GoalDaysShape, NutritionGoalShape, SetGoalShape } from './goals.shapes.ts';

const route = restRoute<{ goals: Goals }>(TAGS.goals, 'nutrition');
const internalRoute = restRoute<{ goals: Goals }>(INTERNAL, 'nutrition');
const userId = uuid().optional().meta({ description: 'Only for a service of the platform: the user.' });

export const goalsRest = [
  route({
    method: 'GET',
    path: '/goals',
    operationId: 'listGoals',
    summary: 'Your nutrition goals',
    auth: 'required',
    query: z.object({ userId }),
    success: {
      status: 200,
      description:
        'The default goals, then the goals of weekdays, each with the latest first, then the goals of single dates.',
      shape: z.array(NutritionGoalShape),
    },
    errors: ['NOT_FOUND'],
    handler: ({ query }, { goals }) => goals.list(query.userId),
  }),
  route({
    method: 'PUT',
    path: '/goals',
    operationId: 'setGoal',
    summary: 'Set your goal for a weekday or a date; with neither, the default goal',
    description:
      'The goal is valid from the day `from` until the next goal of its kind begins; earlier days keep their goals. A goal with the same first day is replaced.',
    auth: 'required',
    body: SetGoalShape,
    versioned: true,
    success: { status: 200, description: 'The goal.', shape: NutritionGoalShape },
    handler: ({ body, expectedVersion }, { goals }) => goals.set(body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/goals',
    operationId: 'deleteGoal',
    summary: 'Delete your goal of a weekday or a date; with neither, the default goal',
    description: 'The goal ends before the day `from`; earlier days keep it.',
    auth: 'required',
    query: GoalDaysShape.safeExtend({ userId }),
    versioned: true,
    success: { status: 204, description: 'The goal is deleted.' },
    errors: ['NOT_FOUND'],
    handler: ({ query, expectedVersion }, { goals }) => goals.delete(query, expectedVersion),
  }),
  internalRoute({
    method: 'DELETE',
    path: '/goals/changes/:id',
    operationId: 'undoGoalChange',
    summary: 'Undo a change of a goal by a service',
    description:
      'The goal is again what it was before the change. If its user has changed or deleted it since, or if there was no such change, nothing changes.',
    only: SERVICES,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The change has no effect any more.' },
    handler: ({ params }, { goals }) => goals.undo(params.id),
  }),
];
