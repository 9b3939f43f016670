import { z } from 'zod';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { Programs } from './programs.ts';
import type { Shop } from './shop.ts';
import { GymProductShape, GymProgramShape, ProductsInput, ProgramsInput } from './shop.shapes.ts';

const route = restRoute<{ shop: Shop; programs: Programs }>(TAGS.shop);
const params = z.object({ gymId: z.string().meta({ description: 'Id or slug of the gym.' }) });

export const shopRest = [
  route({
    method: 'GET',
    path: '/gym/:gymId/products',
    operationId: 'listGymProducts',
    summary: "A gym's shop: products of the content service in the gym's order, with its own terms",
    auth: 'optional',
    params,
    success: { status: 200, description: 'The list.', shape: z.array(GymProductShape) },
    errors: ['FEATURE_DISABLED'],
    handler: ({ params: { gymId } }, { shop }) => shop.list(gymId),
  }),
  route({
    method: 'PUT',
    path: '/gym/:gymId/products',
    operationId: 'replaceGymProducts',
    summary: "Replace the products of a gym's shop",
    only: GYM_STAFF,
    auth: 'required',
    params,
    body: ProductsInput,
    success: { status: 200, description: 'The new list.', shape: z.array(GymProductShape) },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId }, body }, { shop }) => shop.replace(gymId, body),
  }),
  route({
    method: 'GET',
    path: '/gym/:gymId/programs',
    operationId: 'listGymPrograms',
    summary: "A gym's programme: routines of the content service in the gym's order",
    auth: 'optional',
    params,
    success: { status: 200, description: 'The list.', shape: z.array(GymProgramShape) },
    handler: ({ params: { gymId } }, { programs }) => programs.list(gymId),
  }),
  route({
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
