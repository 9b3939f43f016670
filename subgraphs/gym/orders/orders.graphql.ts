import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const ordersGraphql = {
  Query: {
    orders: async (_root, { first, after, ...filter }, { orders }) =>
      connectionOf(await orders.list(filter, pageOf({ first, after }))),
    order: (_root, { id }, { orders }) => orNull(orders.get(id)),
  },
  Mutation: {
    placeOrder: (_root, { input }, { orders }) => orders.place(input),
    updateOrder: (_root, { input: { id, ...change } }, { orders }) => orders.update(id, change),
  },
  Order: {
    user: ({ userId }) => (userId ? { id: userId } : null),
  },
  OrderItem: {
    product: ({ productId }) => ({ id: productId }),
  },
  User: {
    orders: async ({ id }, page, { orders }) => connectionOf(await orders.ofUser(id, pageOf(page))),
  },
} satisfies Resolvers;
