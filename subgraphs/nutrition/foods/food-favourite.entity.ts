import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { StoredFood } from './stored-food.entity.ts';

/**
 * A favourite of a user: either a row of `food` (`foodId`), or a food of the food table, which is a file (`tableFoodId`).
 */
const FoodFavouriteSchema = defineEntity({
  name: 'FoodFavourite',
  tableName: 'food_favourite',
  indexes: [{ properties: ['foodId'] }],
  uniques: [
    {
      name: 'food_favourite_of',
      expression: `create unique index "food_favourite_of" on "food_favourite" ("user_id", coalesce("food_id"::text, "table_food_id"))`,
    },
  ],
  checks: [{ name: 'food_favourite_one', expression: '("food_id" is null) <> ("table_food_id" is null)' }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    foodId: () => p.manyToOne(StoredFood).mapToPk().nullable().joinColumn('food_id').deleteRule('cascade'),
    tableFoodId: p.string().length(60).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class FoodFavourite extends FoodFavouriteSchema.class {}
FoodFavouriteSchema.setClass(FoodFavourite);
