import { restRoute } from '#server/rest/route.ts';
import type { Foods } from './foods.ts';
import { FoodQuery, FoodShape } from './foods.shapes.ts';

const route = restRoute<{ foods: Foods }>();

export const foodsRest = [
  route({
    method: 'GET',
    path: '/foods',
    summary: 'The food table, by name or best match first',
    auth: 'optional',
    query: FoodQuery,
    success: { status: 200, description: 'A page of foods.', shape: FoodShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { foods }) => foods.list(filter, { limit, cursor }),
  }),
];
