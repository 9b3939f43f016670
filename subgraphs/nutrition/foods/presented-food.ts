import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { LOCALES, portionGrams, type Food, type Locale } from './food.ts';
import { FoodNutrientsShape, FoodShape, measureShape } from './foods.shapes.ts';
import type { StoredFood } from './stored-food.entity.ts';

/** A row of `food`. */
const StoredRowShape = z.object({
  ...FoodShape.pick({ id: true, name: true, brand: true, barcode: true, version: true }).shape,
  ...FoodNutrientsShape.shape,
  userId: uuid().nullable(),
  names: z.partialRecord(z.enum(LOCALES), z.string()).nullable(),
  measures: z.array(measureShape),
});
export type StoredRow = z.infer<typeof StoredRowShape>;
export const STORED_COLUMNS = columnsOf(StoredRowShape);
export const storedRow = (food: StoredFood): StoredRow => presented(StoredRowShape, food);

/** A stored food in the form of the API, with its name in a language. */
export const presentedRow = (row: StoredRow, locale: Locale): FoodShape => ({
  id: row.id,
  name: row.names?.[locale] ?? row.name,
  brand: row.brand,
  barcode: row.barcode,
  category: null,
  ndb: null,
  per100g: presented(FoodNutrientsShape, row),
  measures: row.measures,
  portion: null,
  custom: row.userId !== null,
  version: row.version,
});

/** An own food has one name for all languages. */
export const presentedOwnFood = (row: StoredRow): FoodShape => presentedRow(row, 'en');

/** A food of the table in the form of the API. */
export const presentedTableFood = (food: Food, locale: Locale): FoodShape => ({
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

/** The names of a food of the table, in a language and in English. */
export const namesOf = (food: Food, locale: Locale): readonly string[] =>
  (locale === 'en' ? ['en' as const] : [locale, 'en' as const]).flatMap((language) => [
    food.names[language],
    ...food.aliases[language],
  ]);
