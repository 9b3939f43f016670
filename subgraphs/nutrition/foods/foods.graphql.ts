import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const foodsGraphql = {
  Query: {
    foods: async (_root, { first, after, ...filter }, { foods }) =>
      connectionOf(await foods.list(filter, pageOf({ first, after }))),
    food: (_root, { id, locale }, { foods }) => orNull(foods.get(id, locale)),
    foodByBarcode: (_root, { code, locale }, { foods }) => orNull(foods.byBarcode(code, locale)),
  },
  Mutation: {
    createFood: (_root, { input }, { ownFoods }) => ownFoods.create(input),
    updateFood: (_root, { input: { id, ...change } }, { ownFoods }) => ownFoods.update(id, change),
    deleteFood: async (_root, { input }, { ownFoods }) => {
      await ownFoods.delete(input.id, input.version ?? undefined);
      return true;
    },
    setFoodFavourite: (_root, { input }, { foods }) => foods.setFavourite(input.id, input.favourite),
  },
} satisfies Resolvers;
