import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const shopGraphql = {
  Query: {
    stockMovements: async (_root, { gymId, productId, ...page }, { stock }) =>
      connectionOf(await stock.movements(gymId, productId, pageOf(page))),
    lowStock: async (_root, { gymId, below, ...page }, { stock }) =>
      connectionOf(await stock.low(gymId, { below }, pageOf(page))),
  },
  Mutation: {
    adjustStock: (_root, { input: { gymId, productId, ...input } }, { stock }) =>
      stock.adjust(gymId, productId, input),
    setGymProducts: (_root, { input: { gymId, ...input } }, { shop }) => shop.replace(gymId, input),
    setGymPrograms: (_root, { input: { gymId, ...input } }, { programs }) => programs.replace(gymId, input),
  },
  Gym: {
    products: async ({ id }, _args, { shop }) => shop.list(id),
    productsVersion: async ({ id }, _args, { shop }) => shop.version(id),
    programs: async ({ id }, _args, { programs }) => programs.list(id),
  },
  GymProduct: {
    product: ({ productId }) => ({ id: productId }),
  },
  StockMovement: {
    product: ({ productId }) => ({ id: productId }),
    actor: ({ actorId }) => (actorId ? { id: actorId } : null),
  },
  GymProgram: {
    routine: ({ routineId }) => ({ id: routineId }),
  },
} satisfies Resolvers;
