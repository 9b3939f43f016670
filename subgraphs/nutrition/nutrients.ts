import { z } from 'zod';

/** Energy and macronutrients of whatever: an entry, a day, a goal's rest. */
export const NutrientsShape = z
  .object({
    calories: z.int().meta({ description: 'kcal' }),
    protein: z.number().meta({ description: 'g' }),
    carbs: z.number().meta({ description: 'g' }),
    fats: z.number().meta({ description: 'g' }),
  })
  .meta({ id: 'Nutrients' });
export type Nutrients = z.infer<typeof NutrientsShape>;

export const NO_NUTRIENTS: Nutrients = { calories: 0, protein: 0, carbs: 0, fats: 0 };

/** Milligrams are as fine as this service shows: what is left of adding floating point numbers is not shown. */
export const grams = (value: number): number => Math.round(value * 1000) / 1000;

export const sum = (parts: readonly Nutrients[]): Nutrients => ({
  calories: Math.round(parts.reduce((total, part) => total + part.calories, 0)),
  protein: grams(parts.reduce((total, part) => total + part.protein, 0)),
  carbs: grams(parts.reduce((total, part) => total + part.carbs, 0)),
  fats: grams(parts.reduce((total, part) => total + part.fats, 0)),
});

export const divided = (total: Nutrients, by: number): Nutrients =>
  by === 0
    ? NO_NUTRIENTS
    : {
        calories: Math.round(total.calories / by),
        protein: grams(total.protein / by),
        carbs: grams(total.carbs / by),
        fats: grams(total.fats / by),
      };
