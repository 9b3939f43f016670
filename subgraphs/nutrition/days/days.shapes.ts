import { z } from 'zod';
import { day, timezone } from '#server/shapes.ts';
import { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import { NutritionGoalShape } from '../goals/goals.shapes.ts';
import { NUTRIENT_NAMES, NutrientsShape } from '../nutrients.ts';

export const RemainingShape = z
  .object({
    calories: z.int(),
    protein: z.number().nullable(),
    carbs: z.number().nullable(),
    fats: z.number().nullable(),
  })
  .meta({
    id: 'Remaining',
    graphType: 'NutritionRemaining',
    description: 'Goal minus totals. Negative if more was eaten; null if there is no goal for the nutrient.',
  });
export type RemainingShape = z.infer<typeof RemainingShape>;

/** A day in the graph; its goal and entries are read only if the query selects them. */
export interface NutritionDay {
  userId: string;
  date: string;
  totals: z.infer<typeof NutrientsShape>;
}

export const NutritionDayShape = z
  .object({
    date: z.iso.date(),
    totals: NutrientsShape,
    goal: NutritionGoalShape.nullable(),
    remaining: RemainingShape.nullable(),
    entries: z.array(FoodLogShape),
  })
  .meta({ id: 'NutritionDay' });
export type NutritionDayShape = z.infer<typeof NutritionDayShape>;

export const DailyShape = z
  .object({
    from: z.iso.date().meta({ description: 'First day.' }),
    to: z.iso.date().meta({ description: 'Last day, included.' }),
    days: z
      .array(NutritionDayShape)
      .meta({ description: 'Every day of the range in its order, also days without entries.' }),
    averages: NutrientsShape.meta({ description: 'Averages over the days with entries.' }),
    loggedDays: z.int().meta({ description: 'Number of days with entries.' }),
  })
  .meta({ id: 'DailyNutrition' });
export type DailyShape = z.infer<typeof DailyShape>;

const BUCKETS = ['DAY', 'WEEK', 'MONTH'] as const;

export const SeriesPointShape = z
  .object({
    start: z.iso.date(),
    end: z.iso.date(),
    totals: NutrientsShape,
    averages: NutrientsShape,
    goal: NutrientsShape.partial().nullable(),
    loggedDays: z.int(),
    entries: z.int(),
  })
  .meta({ id: 'NutritionPoint' });
export type SeriesPointShape = z.infer<typeof SeriesPointShape>;

const zone = timezone.optional().meta({
  description: "IANA time zone that decides which day is today. Default: the user's profile.",
});
export const DailyQuery = z.object({
  from: day.optional().meta({ description: 'First day. Default: six days before the last.' }),
  to: day.optional().meta({ description: 'Last day, included. Default: today.' }),
  timezone: zone,
});
export const SeriesQuery = DailyQuery.extend({
  from: day.optional().meta({ description: 'First day. Default: 29 days before the last.' }),
  bucket: z
    .string()
    .max(10)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(BUCKETS, 'expected day, week or month'))
    .optional()
    .meta({ description: 'day, week (from Monday) or month. Default: day.' }),
});
export const ChartQuery = SeriesQuery.extend({
  metric: z
    .enum(NUTRIENT_NAMES, `expected ${NUTRIENT_NAMES.join(', ')}`)
    .optional()
    .meta({ description: 'calories (default), protein, carbs or fats.' }),
});
