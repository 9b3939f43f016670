import type { Nutrients } from '../nutrients.ts';

/** One row of `food-table.ts`. */
export interface Food {
  id: string;
  /** Number of the food in USDA SR28. */
  ndb: string;
  name: string;
  category: string;
  /** What people call it, in small letters. */
  aliases: readonly string[];
  per100g: Nutrients;
  /** Grams of one: cup, tbsp, slice, large ... `piece` is what is meant by "two bananas". */
  measures: Readonly<Record<string, number>>;
  /** What is meant where nobody says how much. */
  portion: { amount: number; unit: string };
}

/** What an amount of the food holds; not rounded. */
export const nutrientsOf = (food: Food, grams: number): Nutrients => ({
  calories: (food.per100g.calories * grams) / 100,
  protein: (food.per100g.protein * grams) / 100,
  carbs: (food.per100g.carbs * grams) / 100,
  fats: (food.per100g.fats * grams) / 100,
});

export const portionGrams = ({ portion, measures }: Food): number =>
  portion.amount * (portion.unit === 'g' ? 1 : (measures[portion.unit] ?? 100));
