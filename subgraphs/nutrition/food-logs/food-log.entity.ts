import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { StoredFood } from '../foods/stored-food.entity.ts';

export const MEAL_TYPES = ['BREAKFAST', 'LUNCH', 'DINNER', 'SNACK'] as const;
export type MealType = (typeof MEAL_TYPES)[number];

/** The origin of an entry. */
export const SOURCES = ['MANUAL', 'AI', 'FOOD_TABLE', 'COPY', 'IMPORT'] as const;
export type FoodLogSource = (typeof SOURCES)[number];

const FoodLogSchema = defineEntity({
  name: 'FoodLog',
  tableName: 'food_log',
  // The first index has the order of the food log, so that the entries of a day, or of a page, are one range of it.
  indexes: [
    { name: 'food_log_diary', properties: ['userId', 'localDate', 'loggedAt', 'id'] },
    { properties: ['foodId'] },
  ],
  uniques: [
    {
      name: 'food_log_import_key',
      expression:
        'create unique index "food_log_import_key" on "food_log" ("user_id", "import_key") where "import_key" is not null',
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    foodName: p.string().length(200),
    /** Energy in kcal; protein, carbs and fats in g. */
    calories: p.integer(),
    protein: p.float().columnType('double precision'),
    carbs: p.float().columnType('double precision'),
    fats: p.float().columnType('double precision'),
    /** As the user wrote it, e.g. 2 (`unit`: "slice"). */
    quantity: p.float().columnType('double precision').nullable(),
    unit: p.string().length(40).nullable(),
    /** The weight of the whole entry. */
    grams: p.float().columnType('double precision').nullable(),
    /** The food of the entry, if it is a row of `food`; the entry stays if the food is deleted. */
    foodId: () => p.manyToOne(StoredFood).mapToPk().nullable().joinColumn('food_id').deleteRule('set null'),
    /** The food of the entry, if it is a food of the food table, which is a file. */
    tableFoodId: p.string().length(60).nullable(),
    mealType: p.string().$type<MealType>().length(10).nullable(),
    source: p.string().$type<FoodLogSource>().length(12),
    loggedAt: p.datetime(),
    /**
     * The day for which the entry counts, in the time zone that the user had when they logged it. It does not change when
     * the user travels.
     */
    localDate: p.date(),
    createdAt: p.datetime().onCreate(() => new Date()),
    version: p.integer().default(1),
    /** Identifies an imported line, so that a repeated import does not write it again. */
    importKey: p.string().length(64).nullable(),
  },
});

export class FoodLog extends FoodLogSchema.class {}
FoodLogSchema.setClass(FoodLog);
