import { z } from 'zod';
import { changeOf } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { day, idOrName, instant, timezone, uuid, versionNumber } from '#server/shapes.ts';
import { NutrientsShape } from '../nutrients.ts';
import { MAX_OF_ENTRY } from './entry-limits.ts';
import { MEAL_TYPES, SOURCES } from './food-log.entity.ts';

export { MEAL_TYPES, SOURCES, type FoodLogSource, type MealType } from './food-log.entity.ts';

export const FoodLogShape = z
  .object({
    id: uuid(),
    userId: uuid(),
    foodId: z.string().nullable(),
    foodName: z.string(),
    calories: z.int(),
    protein: z.number(),
    carbs: z.number(),
    fats: z.number(),
    quantity: z.number().nullable(),
    unit: z.string().nullable(),
    grams: z.number().nullable(),
    mealType: z.enum(MEAL_TYPES).nullable(),
    source: z.enum(SOURCES),
    loggedAt: z.iso.datetime(),
    localDate: z.iso.date(),
    createdAt: z.iso.datetime(),
    version: z.int(),
  })
  .meta({ id: 'FoodLog' });
export type FoodLogShape = z.infer<typeof FoodLogShape>;

export const mealType = z
  .string()
  .max(20)
  .transform((text) => text.toUpperCase())
  .pipe(z.enum(MEAL_TYPES, `expected one of ${MEAL_TYPES.join(', ')}`))
  .meta({ description: MEAL_TYPES.join(', ') });

const foodId = idOrName().min(1).max(60).nullish();
const fields = {
  foodName: z.string().trim().min(1).max(200),
  calories: z.int(`expected whole kcal from 0 to ${MAX_OF_ENTRY.calories}`).min(0).max(MAX_OF_ENTRY.calories),
  protein: z.number().min(0).max(MAX_OF_ENTRY.protein),
  carbs: z.number().min(0).max(MAX_OF_ENTRY.carbs),
  fats: z.number().min(0).max(MAX_OF_ENTRY.fats),
  quantity: z.number().positive().max(MAX_OF_ENTRY.quantity).nullable(),
  unit: z.string().trim().min(1).max(40).nullable(),
  grams: z.number().min(0).max(MAX_OF_ENTRY.grams).nullable(),
  mealType: mealType.nullable(),
};

/** When an entry was eaten. */
const when = {
  loggedAt: instant.nullish(),
  localDate: day.nullish(),
  timezone: timezone.nullish(),
};

const LogEntryFields = z
  .object({
    foodId,
    foodName: fields.foodName.nullish(),
    calories: fields.calories.nullish(),
    protein: fields.protein.nullish(),
    carbs: fields.carbs.nullish(),
    fats: fields.fats.nullish(),
    quantity: fields.quantity.optional(),
    unit: fields.unit.optional(),
    grams: fields.grams.optional(),
    mealType: fields.mealType.optional(),
    source: z.enum(['MANUAL', 'AI', 'FOOD_TABLE'], 'expected MANUAL, AI or FOOD_TABLE').nullish(),
    ...when,
  })
  .meta({ graphType: 'LogFoodInput' });
export const LogEntryShape = LogEntryFields.superRefine((entry, context) => {
  if (entry.foodId) return;
  for (const [name, expected] of [
    ['foodName', 'a name'],
    ['calories', 'whole kcal'],
  ] as const)
    if (entry[name] === undefined || entry[name] === null)
      context.addIssue({ code: 'custom', path: [name], message: `expected ${expected}, or a foodId` });
});
export type LogEntry = z.infer<typeof LogEntryShape>;

/** The entries of a confirmed meal. The other fields are defaults for all entries. */
export const LogMealShape = z
  .object({
    entries: z.array(LogEntryShape).min(1).max(100),
    mealType: fields.mealType.optional(),
    ...when,
  })
  .meta({ graphType: 'LogMealInput' });

/** One entry, or `entries`. The rules check which fields are required, so that a message can name the one wrong field. */
export const LogShape = z
  .object({
    entries: z
      .array(LogEntryFields)
      .max(100)
      .optional()
      .meta({ description: 'Entries of a confirmed meal, each with the fields of one entry; 1 to 100.' }),
  })
  .extend(LogEntryFields.shape)
  .meta({ graphType: 'LogFoodInput' });

export const LoggedMealShape = z
  .object({ entries: z.array(FoodLogShape), totals: NutrientsShape })
  .meta({ id: 'LoggedMeal' });
export type LoggedMealShape = z.infer<typeof LoggedMealShape>;

export const UpdateFoodLogShape = z
  .object({
    foodId: foodId,
    ...changeOf(fields),
    ...when,
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateFoodLogInput' });
export type FoodLogChange = z.infer<typeof UpdateFoodLogShape>;

export const CopyFoodLogShape = z
  .object({ mealType: fields.mealType.optional(), ...when })
  .meta({ graphType: 'CopyFoodLogInput' });

export const HistoryQuery = pageQuery.extend({
  from: day.optional().meta({ description: 'First day.' }),
  to: day.optional().meta({ description: 'Last day, included.' }),
  mealType: mealType.optional(),
});
export interface HistoryFilter {
  from?: string | null | undefined;
  to?: string | null | undefined;
  mealType?: string | null | undefined;
}
