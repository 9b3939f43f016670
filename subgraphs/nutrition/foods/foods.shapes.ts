import { z } from 'zod';
import { changeOf } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { flag, searchText, versionNumber, visibleText } from '#server/shapes.ts';
import { barcode } from './barcodes.ts';

const numberOrUnknown = z.number().nullable(); // null: unknown
export const FoodNutrientsShape = z
  .object({
    calories: z.number(),
    protein: numberOrUnknown,
    carbs: numberOrUnknown,
    fats: numberOrUnknown,
    fibre: numberOrUnknown,
    sugars: numberOrUnknown,
    salt: numberOrUnknown,
  })
  .meta({ id: 'FoodNutrients' });
export type FoodNutrients = z.infer<typeof FoodNutrientsShape>;

export const measureShape = z.object({ name: z.string(), grams: z.number() });

export const FoodShape = z
  .object({
    id: z.string(),
    name: z.string(),
    brand: z.string().nullable(),
    barcode: z.string().nullable(),
    category: z.string().nullable(),
    ndb: z.string().nullable(),
    per100g: FoodNutrientsShape,
    measures: z.array(measureShape),
    portion: z.object({ amount: z.number(), unit: z.string(), grams: z.number() }).nullable(),
    custom: z.boolean(),
    version: z.int(),
  })
  .meta({ id: 'Food' });
export type FoodShape = z.infer<typeof FoodShape>;

export const locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'expected a language tag such as de-AT')
  .nullish()
  .meta({
    description:
      'Language of the names. Default: the language of your profile; without a token, of Accept-Language.',
  });
export const LocaleShape = z.object({ locale });

/** In the graph it is a boolean; in a REST query it is a text. */
const filterFlag = z.union([z.boolean(), flag]).nullish();
const filters = {
  search: searchText.nullish().meta({
    description:
      'Words of a name; the best match comes first. The beginning of a word is enough; small typing errors are corrected.',
  }),
  category: z.string().max(40).nullish().meta({ description: 'For example fruit, dairy.' }),
  recent: filterFlag.meta({
    description: 'true: only foods that you have logged by their id, the last one first.',
  }),
  favourite: filterFlag.meta({ description: 'true: only your favourites.' }),
  locale,
};
export const FoodFilterShape = z.object(filters);
export const FoodQuery = pageQuery.extend(filters);

export const LocaleQuery = z.object({ locale });

const amount = z.number().min(0).max(100, 'expected at most 100 g in 100 g').nullable();
const per100g = {
  calories: z.number().min(0).max(902, 'expected at most 902 kcal, the energy of pure fat'),
  protein: amount.optional(),
  carbs: amount.optional(),
  fats: amount.optional(),
  fibre: amount.optional(),
  sugars: amount.optional(),
  salt: amount.optional(),
};
const measures = z
  .array(
    z.object({
      name: visibleText(40),
      grams: z.number().positive().max(5_000),
    }),
  )
  .max(20)
  .refine(
    (list) => new Set(list.map(({ name }) => name.toLowerCase())).size === list.length,
    'expected each name once',
  )
  .meta({ description: 'At most 20, for example `{"name": "slice", "grams": 35}`.' });

export const CreateFoodShape = z
  .object({
    name: visibleText(200),
    brand: visibleText(100).nullish(),
    barcode: barcode.nullish(),
    per100g: z.object(per100g),
    measures: measures.nullish(),
  })
  .meta({ graphType: 'CreateFoodInput' });

export const UpdateFoodShape = z
  .object({
    ...changeOf({
      name: visibleText(200),
      brand: visibleText(100).nullable(),
      barcode: barcode.nullable(),
      measures,
    }),
    per100g: z.object(per100g).partial().nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateFoodInput' });
