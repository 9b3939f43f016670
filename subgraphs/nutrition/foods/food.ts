import { z } from 'zod';
import { nutrientsBy, type Nutrients } from '../nutrients.ts';

/** The languages in which the table names its foods. */
export const LOCALES = ['en', 'de', 'fr', 'es'] as const;
export type Locale = (typeof LOCALES)[number];

const amount = z.number().min(0);
const byLocale = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ en: shape, de: shape, fr: shape, es: shape });

/** One line of `data/foods.jsonl`. */
export const FoodSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9_]+$/),
  /** The number of the food in USDA SR28; null if the figures come from a recipe. */
  ndb: z
    .string()
    .regex(/^\d{5}$/)
    .nullable(),
  /** For a food that SR28 does not have: the SR28 foods that it is made of. */
  recipe: z
    .strictObject({
      parts: z.array(z.tuple([z.string().regex(/^\d{5}$/), z.number().positive()])).min(1),
      /** The weight of the dish if cooking adds or removes water; default: the sum of the parts. */
      grams: z.number().positive().optional(),
    })
    .optional(),
  category: z.string().min(1),
  /**
   * `cooked` and `ready` foods are as people eat them. `raw` and `dry` foods are not: "rice" in a meal text means the cooked
   * one, and only "dry rice" or "raw rice" means the food as bought.
   */
  state: z.enum(['raw', 'dry', 'cooked', 'ready']),
  /**
   * For a raw or dry food: the id of its cooked form. A meal text that names the food without "raw" or "dry" means this
   * form.
   */
  eatenAs: z.string().optional(),
  /** Null for a generic food. */
  brand: z.string().nullable(),
  names: byLocale(z.string().min(1)),
  /** Other names that people use, in lower case. */
  aliases: byLocale(z.array(z.string().min(1))),
  per100g: z.strictObject({
    calories: amount, // kcal, the others in grams
    protein: amount,
    carbs: amount,
    fats: amount,
    /** Null: unknown. */
    fibre: amount.nullable(),
    sugars: amount.nullable(),
    /** Sodium x 2.5. */
    salt: amount.nullable(),
  }),
  /**
   * The weight in grams of household measures, such as `cup`, `slice` or `can`. A text that counts the food itself, such as
   * "two bananas", means `piece`.
   */
  measures: z.array(z.strictObject({ name: z.string().min(1), grams: z.number().positive() })),
  /** The amount that is assumed if a text names none; `unit` is `g` or the name of a measure. */
  portion: z.strictObject({ amount: z.number().positive(), unit: z.string() }),
});
export type Food = z.infer<typeof FoodSchema>;

/** The nutrients of this weight of the food; not rounded. */
export const nutrientsOf = ({ per100g }: Pick<Food, 'per100g'>, grams: number): Nutrients =>
  nutrientsBy((name) => (per100g[name] * grams) / 100);

/** The weight of a household measure of the food; undefined if the table has none. */
export const measureGrams = ({ measures }: Pick<Food, 'measures'>, name: string): number | undefined =>
  measures.find((measure) => measure.name === name)?.grams;

/** The weight of the amount that is assumed if a text names none. */
export const portionGrams = (food: Pick<Food, 'portion' | 'measures'>): number =>
  food.portion.amount * (food.portion.unit === 'g' ? 1 : (measureGrams(food, food.portion.unit) ?? 100));
