import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import type { FoodLogs } from './food-logs.ts';
import {
  CopyFoodLogShape,
  FoodLogShape,
  HistoryQuery,
  LoggedMealShape,
  LogShape,
  UpdateFoodLogShape,
} from './food-logs.shapes.ts';

const route = restRoute<{ foodLogs: FoodLogs }>();

/** `/:userId`: anything; what is not the caller's own id or `me` is not found. */
export const ownerParams = z.object({
  userId: z.string().meta({ description: 'Your own user id, or `me`.' }),
});

export const foodLogsRest = [
  route({
    method: 'POST',
    path: '/log',
    summary: 'Log a food, or all foods of a meal',
    description:
      'The owner is the caller. Takes one entry, or `{entries: [...]}`, which are written all or none. With a `foodId` the name, the weight and the nutrients follow from the food if they are not given. An entry whose nutrients, energy and weight do not go together is refused.',
    auth: 'required',
    body: LogShape,
    success: {
      status: 201,
      description: 'The entry; of a meal its entries and their totals.',
      shape: z.union([FoodLogShape, LoggedMealShape]),
    },
    handler: ({ body }, { foodLogs }) => foodLogs.logOneOrMeal(body),
  }),
  route({
    method: 'GET',
    path: '/history/:userId',
    summary: 'The food log, newest day first',
    description: 'Your own alone; anybody else is 404, for admins too.',
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
    summary: 'One entry of your own food log',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The entry.', shape: FoodLogShape },
    handler: ({ params }, { foodLogs }) => foodLogs.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/log/:id',
    summary: 'Edit an entry',
    description:
      'What is absent stays; null empties a field that may be empty. Another weight (`grams`) changes the nutrients and the quantity that are not given in proportion; another day (`localDate`) keeps the local time.',
    auth: 'required',
    params: idParams,
    body: UpdateFoodLogShape,
    versioned: true,
    success: { status: 200, description: 'The entry as it is now.', shape: FoodLogShape },
    handler: ({ params, body, expectedVersion }, { foodLogs }) =>
      foodLogs.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/log/:id',
    summary: 'Remove an entry',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'It is gone.' },
    handler: ({ params, expectedVersion }, { foodLogs }) => foodLogs.delete(params.id, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/log/:id/copy',
    summary: 'Log the same food again: now, or when the body says',
    auth: 'required',
    params: idParams,
    body: CopyFoodLogShape.optional(),
    success: { status: 201, description: 'The new entry.', shape: FoodLogShape },
    handler: ({ params, body }, { foodLogs }) => foodLogs.copy(params.id, body),
  }),
];
