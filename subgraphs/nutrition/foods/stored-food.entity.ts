import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import type { Locale } from './food.ts';

/** A household measure of a food, such as a cup, slice or can, and the weight of one. */
export interface Measure {
  name: string;
  grams: number;
}

/** A user's own food, or a product of a barcode source, which has no user. */
const StoredFoodSchema = defineEntity({
  name: 'StoredFood',
  tableName: 'food',
  uniques: [
    {
      name: 'food_own_name',
      expression: `create unique index "food_own_name" on "food" ("user_id", lower("name"), lower(coalesce("brand", ''))) where "user_id" is not null`,
    },
    {
      name: 'food_own_barcode',
      expression: `create unique index "food_own_barcode" on "food" ("user_id", "barcode") where "user_id" is not null and "barcode" is not null`,
    },
    {
      name: 'food_product_barcode',
      expression: `create unique index "food_product_barcode" on "food" ("barcode") where "user_id" is null`,
    },
  ],
  checks: [{ name: 'food_owned_or_product', expression: '"user_id" is not null or "barcode" is not null' }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid().nullable(),
    name: p.string().length(200),
    /** Of a product: its names by language; `name` is for the other languages. Null for an own food. */
    names: p.json<Partial<Record<Locale, string>>>().nullable(),
    brand: p.string().length(100).nullable(),
    /** EAN-8 or EAN-13; a UPC-A is stored as the EAN-13 with a leading zero. */
    barcode: p.string().length(13).nullable(),
    /** kcal of 100 g; the other nutrients are grams of 100 g, null if unknown. */
    calories: p.float().columnType('double precision'),
    protein: p.float().columnType('double precision').nullable(),
    carbs: p.float().columnType('double precision').nullable(),
    fats: p.float().columnType('double precision').nullable(),
    fibre: p.float().columnType('double precision').nullable(),
    sugars: p.float().columnType('double precision').nullable(),
    salt: p.float().columnType('double precision').nullable(),
    measures: p.json<Measure[]>(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    version: p.integer().default(1),
  },
});

export class StoredFood extends StoredFoodSchema.class {}
StoredFoodSchema.setClass(StoredFood);
