import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { idOrName, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { FoodLogs } from './food-logs.ts';
import {
  CopyFoodLogShape,
  FoodLogShape,
  HistoryQuery,
  LoggedMealShape,
  LogShape,
  UpdateFoodLogShape,
} from './food-logs.shapes.ts';

const route = restRoute<{ foodLogs: FoodLogs }>(TAGS.foodLog, 'nutrition');

/** `/:userId` need not be a UUID: every value other than the caller's id or `me` is answered with NOT_FOUND. */
export const ownerParams = z.object({
  userId: idOrName().meta({ description: 'Your own user id, or `me`.' }),
});

export const foodLogsRest = [
  route({
    method: 'POST',
    path: '/log',
    operationId: 'logFood',
    summary: 'Log a food, or all foods of a meal',
    description:
      'For the caller. One entry, or `{entries: [...]}`, of which all or none are written. With a `foodId`, an absent name, weight or nutrient follows from the food. An entry whose nutrients, energy and weight contradict each other is refused. A day can have at most 1,000 entries; one more is a `CONFLICT`.',
    auth: 'required',
    body: LogShape,
    success: {
      status: 201,
      description: 'The entry; for a meal, its entries and their totals.',
      shape: z.union([FoodLogShape, LoggedMealShape]),
    },
    errors: ['CONFLICT'],
    handler: ({ body }, { foodLogs }) => foodLogs.logOneOrMeal(body),
  }),
  route({
    method: 'GET',
    path: '/history/:userId',
    operationId: 'listFoodLog',
    summary: 'The food log, the latest day first',
    description: 'Only your own; another user is 404, also for admins.',
    auth: 'required',
    params: ownerParams,
    query: HistoryQuery,
    success: { status: 200, description: 'A page of entries.', shape: FoodLogShape, page: true },
    handler: ({ params, query: { limit, cursor, ...filter } }, { foodLogs }) =>
      foodLogs.history(params.userId, filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/log/:id',
    operationId: 'getFoodLogEntry',
    summary: 'One entry of your own food log',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The entry.', shape: FoodLogShape },
    handler: ({ params }, { foodLogs }) => foodLogs.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/log/:id',
    operationId: 'updateFoodLogEntry',
    summary: 'Change an entry',
    description:
      'Absent fields are unchanged; null empties a field that may be null. A new weight (`grams`) changes absent nutrients and an absent quantity in proportion. A new day (`localDate`) keeps the local time.',
    auth: 'required',
    params: idParams,
    body: UpdateFoodLogShape,
    versioned: true,
    success: { status: 200, description: 'The changed entry.', shape: FoodLogShape },
    errors: ['CONFLICT'],
    handler: ({ params, body, expectedVersion }, { foodLogs }) =>
      foodLogs.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/log/:id',
    operationId: 'deleteFoodLogEntry',
    summary: 'Delete an entry',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The entry is deleted.' },
    handler: ({ params, expectedVersion }, { foodLogs }) => foodLogs.delete(params.id, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/log/:id/copy',
    operationId: 'copyFoodLogEntry',
    summary: 'Log the same food again: now, or at the time of the body',
    auth: 'required',
    params: idParams,
    body: CopyFoodLogShape.optional(),
    success: { status: 201, description: 'The new entry.', shape: FoodLogShape },
    errors: ['CONFLICT'],
    handler: ({ params, body }, { foodLogs }) => foodLogs.copy(params.id, body),
  }),
];
