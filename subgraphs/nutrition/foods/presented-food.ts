import { portionGrams, type Food, type Locale } from './food.ts';
import type { FoodNutrients, FoodShape } from './foods.shapes.ts';
import type { Measure } from './stored-food.entity.ts';

/** A row of `food`, as `STORED_COLUMNS` reads it. */
export interface StoredRow extends FoodNutrients {
  id: string;
  userId: string | null;
  name: string;
  brand: string | null;
  barcode: string | null;
  measures: Measure[];
  version: number;
}
export const STORED_COLUMNS =
  'id, user_id as "userId", name, brand, barcode, calories, protein, carbs, fats, fibre, sugars, salt, measures, version';

export const ofStored = (row: StoredRow): FoodShape => ({
  id: row.id,
  name: row.name,
  brand: row.brand,
  barcode: row.barcode,
  category: null,
  ndb: null,
  per100g: {
    calories: row.calories,
    protein: row.protein,
    carbs: row.carbs,
    fats: row.fats,
    fibre: row.fibre,
    sugars: row.sugars,
    salt: row.salt,
  },
  measures: row.measures,
  portion: null,
  custom: row.userId !== null,
  version: row.version,
});

export const ofTable = (food: Food, locale: Locale): FoodShape => ({
  id: food.id,
  name: food.names[locale],
  brand: food.brand,
  barcode: null,
  category: food.category,
  ndb: food.ndb,
  per100g: { ...food.per100g, calories: Math.round(food.per100g.calories) },
  measures: food.measures,
  portion: { ...food.portion, grams: Math.round(portionGrams(food) * 100) / 100 },
  custom: false,
  version: 1,
});

/** What a food of the table is called, in a language and in English. */
export const namesOf = (food: Food, locale: Locale): readonly string[] =>
  locale === 'en'
    ? [food.names.en, ...food.aliases.en]
    : [food.names[locale], ...food.aliases[locale], food.names.en, ...food.aliases.en];
