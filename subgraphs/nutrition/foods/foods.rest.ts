import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { idOrName } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Foods } from './foods.ts';
import { CreateFoodShape, FoodQuery, FoodShape, LocaleQuery, UpdateFoodShape } from './foods.shapes.ts';
import type { OwnFoods } from './own-foods.ts';

const route = restRoute<{ foods: Foods; ownFoods: OwnFoods }>(TAGS.foods, 'nutrition');
/** `:id` is a UUID, or the id of a food of the table, such as `banana`. */
const foodParams = z.object({ id: idOrName().max(60).meta({ description: "The food's id." }) });

export const foodsRest = [
  route({
    method: 'GET',
    path: '/foods',
    operationId: 'listFoods',
    summary: 'The food table and your own foods',
    description:
      'The foods are in the order of their names; with `search`, the best match comes first; with `recent`, the food that you have logged last comes first. With `recent` you get only foods that you have logged by their ids, with `favourite` only your favourites; both need the token of a user.',
    auth: 'optional',
    query: FoodQuery,
    success: { status: 200, description: 'A page of foods.', shape: FoodShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { foods }) => foods.list(filter, { limit, cursor }),
  }),
  route({
    method: 'POST',
    path: '/foods',
    operationId: 'createFood',
    summary: 'Add a food of your own',
    description: 'Nobody else sees it. A user has at most 1,000.',
    auth: 'required',
    body: CreateFoodShape,
    success: { status: 201, description: 'The food.', shape: FoodShape },
    errors: ['CONFLICT'],
    handler: ({ body }, { ownFoods }) => ownFoods.create(body),
  }),
  route({
    method: 'GET',
    path: '/foods/barcode/:code',
    operationId: 'getFoodByBarcode',
    summary: 'The food with a barcode',
    description:
      'Returns your own food with this barcode. If you have none, it returns a product that is stored already, or that is in the product database, if one is configured. The code must be an EAN-8, a UPC-A or an EAN-13; any other text is refused with 400.',
    auth: 'required',
    params: z.object({
      code: z.string().max(100).meta({ description: 'The digits of the barcode: EAN-8, UPC-A or EAN-13.' }),
    }),
    query: LocaleQuery,
    success: { status: 200, description: 'The food. `POST /log` accepts its id.', shape: FoodShape },
    errors: ['NOT_FOUND', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'],
    handler: ({ params, query }, { foods }) => foods.byBarcode(params.code, query.locale),
  }),
  route({
    method: 'GET',
    path: '/foods/:id',
    operationId: 'getFood',
    summary: 'One food',
    auth: 'optional',
    params: foodParams,
    query: LocaleQuery,
    success: { status: 200, description: 'The food.', shape: FoodShape },
    errors: ['NOT_FOUND'],
    handler: ({ params, query }, { foods }) => foods.get(params.id, query.locale),
  }),
  route({
    method: 'PUT',
    path: '/foods/:id',
    operationId: 'updateFood',
    summary: 'Change a food of your own',
    description:
      'Absent fields are unchanged; null empties a field that may be null. Entries that were logged keep their values.',
    auth: 'required',
    params: foodParams,
    body: UpdateFoodShape,
    versioned: true,
    success: { status: 200, description: 'The changed food.', shape: FoodShape },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VERSION_CONFLICT'],
    handler: ({ params, body, expectedVersion }, { ownFoods }) =>
      ownFoods.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/foods/:id',
    operationId: 'deleteFood',
    summary: 'Delete a food of your own',
    description: 'Entries that were logged with it stay.',
    auth: 'required',
    params: foodParams,
    versioned: true,
    success: { status: 204, description: 'The food is deleted.' },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'VERSION_CONFLICT'],
    handler: ({ params, expectedVersion }, { ownFoods }) => ownFoods.delete(params.id, expectedVersion),
  }),
  route({
    method: 'PUT',
    path: '/foods/:id/favourite',
    operationId: 'addFavouriteFood',
    summary: 'Add a food to your favourites',
    description: 'A user has at most 1,000.',
    auth: 'required',
    params: foodParams,
    success: { status: 200, description: 'The food.', shape: FoodShape },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ params }, { foods }) => foods.setFavourite(params.id, true),
  }),
  route({
    method: 'DELETE',
    path: '/foods/:id/favourite',
    operationId: 'removeFavouriteFood',
    summary: 'Remove a food from your favourites',
    auth: 'required',
    params: foodParams,
    success: { status: 200, description: 'The food.', shape: FoodShape },
    errors: ['NOT_FOUND'],
    handler: ({ params }, { foods }) => foods.setFavourite(params.id, false),
  }),
];
