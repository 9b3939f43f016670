import { z } from 'zod';

/** The energy (kcal) and the macronutrients (g) of an entry, a day or a goal. */
export const NutrientsShape = z
  .object({
    calories: z.int(),
    protein: z.number(),
    carbs: z.number(),
    fats: z.number(),
  })
  .meta({ id: 'Nutrients' });
export type Nutrients = z.infer<typeof NutrientsShape>;
export type NutrientName = keyof Nutrients;

export const NUTRIENT_NAMES = ['calories', 'protein', 'carbs', 'fats'] as const satisfies NutrientName[];

/** An object with a value for each nutrient. */
export const nutrientsBy = <Value>(valueOf: (name: NutrientName) => Value): Record<NutrientName, Value> => ({
  calories: valueOf('calories'),
  protein: valueOf('protein'),
  carbs: valueOf('carbs'),
  fats: valueOf('fats'),
});

export const NO_NUTRIENTS: Nutrients = nutrientsBy(() => 0);

/** Grams rounded to milligrams, so that no answer shows the errors of floating point sums. */
export const grams = (value: number): number => Math.round(value * 1000) / 1000;

/** Whole kcal, or grams rounded to milligrams. */
export const roundedNutrient = (name: NutrientName, value: number): number =>
  name === 'calories' ? Math.round(value) : grams(value);

export const sum = (parts: readonly Nutrients[]): Nutrients =>
  nutrientsBy((name) =>
    roundedNutrient(
      name,
      parts.reduce((total, part) => total + part[name], 0),
    ),
  );

export const divided = (total: Nutrients, by: number): Nutrients =>
  by === 0 ? NO_NUTRIENTS : nutrientsBy((name) => roundedNutrient(name, total[name] / by));
