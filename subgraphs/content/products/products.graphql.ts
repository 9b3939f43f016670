import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

const SORT = { NAME: 'name', NEWEST: 'newest', PRICE: 'price', PRICE_DESCENDING: '-price' } as const;

export const productsGraphql = {
  Query: {
    products: async (_root, { first, after, sort, ...filter }, { products }) =>
      connectionOf(await products.list({ ...filter, sort: sort && SORT[sort] }, pageOf({ first, after }))),
    product: (_root, { id }, { products }) => products.find(id),
    featuredProducts: (_root, { gymId }, { products }) => products.featured(gymId),
  },
  Mutation: {
    createProduct: (_root, { input }, { products }) => products.create(input),
    updateProduct: (_root, { input: { id, ...change } }, { products }) => products.update(id, change),
    deleteProduct: async (_root, { input }, { products }) => {
      await products.delete(input.id, input.version ?? undefined);
      return true;
    },
  },
  Product: {
    __resolveReference: async ({ id }, { products }) => products.find(id),
  },
} satisfies Resolvers;
