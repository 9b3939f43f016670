import { z } from 'zod';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { CONTENT_AUTHORS } from '../access.ts';
import type { Products } from './products.ts';
import { CreateProductShape, ProductQuery, ProductShape, UpdateProductShape } from './products.shapes.ts';

const route = restRoute<{ products: Products }>(TAGS.products, 'shop');

export const productsRest = [
  route({
    method: 'GET',
    path: '/products',
    operationId: 'listProducts',
    summary: 'The products of the shop, by name',
    description: "Global products and those of the caller's gym; for a SUPER_ADMIN, those of all gyms.",
    auth: 'optional',
    query: ProductQuery,
    success: { status: 200, description: 'A page of products.', shape: ProductShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { products }) =>
      products.list(filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/products/featured',
    operationId: 'listFeaturedProducts',
    summary: 'Products that are promoted now, the highest priority first',
    auth: 'optional',
    query: ProductQuery.pick({ gymId: true }),
    success: { status: 200, description: 'At most 100.', shape: z.array(ProductShape) },
    handler: ({ query }, { products }) => products.featured(query.gymId),
  }),
  route({
    method: 'GET',
    path: '/products/:id',
    operationId: 'getProduct',
    summary: 'One product',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'The product.', shape: ProductShape },
    handler: ({ params }, { products }) => products.get(params.id),
  }),
  route({
    method: 'POST',
    path: '/products',
    operationId: 'createProduct',
    summary: 'Add a product',
    only: CONTENT_AUTHORS,
    auth: 'required',
    body: CreateProductShape,
    success: { status: 201, description: 'The new product.', shape: ProductShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { products }) => products.create(body),
  }),
  route({
    method: 'PUT',
    path: '/products/:id',
    operationId: 'updateProduct',
    summary: 'Change a product',
    only: GYM_STAFF,
    description: 'Absent fields are unchanged; null empties a field that may be null.',
    auth: 'required',
    params: idParams,
    body: UpdateProductShape,
    versioned: true,
    success: { status: 200, description: 'The changed product.', shape: ProductShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body, expectedVersion }, { products }) =>
      products.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/products/:id',
    operationId: 'deleteProduct',
    summary: 'Delete a product',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The product is deleted.' },
    errors: ['FORBIDDEN'],
    handler: ({ params, expectedVersion }, { products }) => products.delete(params.id, expectedVersion),
  }),
];
