import { z } from 'zod';
import { idOrName, uuid } from '#server/shapes.ts';
import { pageOfWhole, pageQuery, wholeListQuery, type Page, type PageRequest } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { Programs } from './programs.ts';
import type { Shop } from './shop.ts';
import {
  AdjustStockInput,
  GymProductShape,
  GymProgramShape,
  LowStockQuery,
  ProductsInput,
  ProgramsInput,
  StockMovementShape,
} from './shop.shapes.ts';
import type { Stock } from './stock.ts';

const route = restRoute<{ shop: Shop; stock: Stock }>(TAGS.shop, 'shop');
const programsRoute = restRoute<{ programs: Programs }>(TAGS.shop);
const params = z.object({ gymId: idOrName().meta({ description: 'Id or slug of the gym.' }) });
const productParams = params.extend({
  productId: uuid().meta({ description: 'Id of the product of the content service.' }),
});

/** The requested page of the products, with the version of the whole list. */
const versioned = (
  products: readonly GymProductShape[],
  request: PageRequest,
  version: number,
): Page<GymProductShape> => ({ ...pageOfWhole(products, request), version });

export const shopRest = [
  route({
    method: 'GET',
    path: '/gym/:gymId/products',
    operationId: 'listGymProducts',
    summary: "A gym's shop: products of the content service in the gym's order, with its own terms",
    description:
      '`stock` is the number of pieces that are free now. The `ETag` contains the version of the list, which increases when staff replace it, and a checksum, so that it also changes with the stock.',
    auth: 'optional',
    params,
    query: wholeListQuery,
    success: { status: 200, description: 'The list.', shape: z.array(GymProductShape) },
    handler: async ({ params: { gymId }, query }, { shop }) =>
      versioned(await shop.list(gymId), query, await shop.version(gymId)),
  }),
  route({
    method: 'PUT',
    path: '/gym/:gymId/products',
    operationId: 'replaceGymProducts',
    summary: "Replace the products of a gym's shop",
    description:
      'A product without `stock` keeps its stock, also while orders change it; null means that the gym does not count it. Audited.',
    only: GYM_STAFF,
    auth: 'required',
    params,
    body: ProductsInput,
    versioned: true,
    success: { status: 200, description: 'The new list.', shape: z.array(GymProductShape) },
    errors: ['FORBIDDEN'],
    handler: async ({ params: { gymId }, body, expectedVersion }, { shop }) =>
      versioned(await shop.replace(gymId, body, expectedVersion), {}, await shop.version(gymId)),
  }),
  route({
    method: 'GET',
    path: '/gym/:gymId/products/low-stock',
    operationId: 'listLowStock',
    summary: "Products of a gym's shop that are running out, the fewest pieces first",
    only: GYM_STAFF,
    auth: 'required',
    params,
    query: LowStockQuery,
    success: { status: 200, description: 'A page of products.', shape: GymProductShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId }, query: { below, ...page } }, { stock }) =>
      stock.low(gymId, { below }, page),
  }),
  route({
    method: 'POST',
    path: '/gym/:gymId/products/:productId/stock',
    operationId: 'adjustStock',
    summary: "Add pieces to a product's stock, or remove some; audited",
    only: GYM_STAFF,
    auth: 'required',
    params: productParams,
    body: AdjustStockInput,
    success: {
      status: 201,
      description: 'The movement, with the stock after it.',
      shape: StockMovementShape,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params: { gymId, productId }, body }, { stock }) => stock.adjust(gymId, productId, body),
  }),
  route({
    method: 'GET',
    path: '/gym/:gymId/products/:productId/movements',
    operationId: 'listStockMovements',
    summary: "The movements of a product's stock, newest first",
    description: 'They add up to the stock.',
    only: GYM_STAFF,
    auth: 'required',
    params: productParams,
    query: pageQuery,
    success: { status: 200, description: 'A page of movements.', shape: StockMovementShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId, productId }, query }, { stock }) => stock.movements(gymId, productId, query),
  }),
  programsRoute({
    method: 'GET',
    path: '/gym/:gymId/programs',
    operationId: 'listGymPrograms',
    summary: "A gym's programme: routines of the content service in the gym's order",
    auth: 'optional',
    params,
    success: { status: 200, description: 'The list.', shape: z.array(GymProgramShape) },
    handler: ({ params: { gymId } }, { programs }) => programs.list(gymId),
  }),
  programsRoute({
    method: 'PUT',
    path: '/gym/:gymId/programs',
    operationId: 'replaceGymPrograms',
    summary: 'Replace the programme of a gym',
    only: GYM_STAFF,
    auth: 'required',
    params,
    body: ProgramsInput,
    success: { status: 200, description: 'The new programme.', shape: z.array(GymProgramShape) },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId }, body }, { programs }) => programs.replace(gymId, body),
  }),
];
