import type { Resolvers } from '../resolvers.generated.ts';

export const shopGraphql = {
  Mutation: {
    setGymProducts: (_root, { input: { gymId, ...input } }, { shop }) => shop.replace(gymId, input),
    setGymPrograms: (_root, { input: { gymId, ...input } }, { programs }) => programs.replace(gymId, input),
  },
  Gym: {
    products: async ({ id }, _args, { shop }) => shop.list(id),
    programs: async ({ id }, _args, { programs }) => programs.list(id),
  },
  GymProduct: {
    product: ({ productId }) => ({ id: productId }),
  },
  GymProgram: {
    routine: ({ routineId }) => ({ id: routineId }),
  },
} satisfies Resolvers;
