import { z } from 'zod';
import { day, timezone } from '#server/shapes.ts';
import { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import { NutritionGoalShape } from '../goals/goals.shapes.ts';
import { NutrientsShape } from '../nutrients.ts';
import { CHART_METRICS } from './chart.ts';

export const RemainingShape = z
  .object({
    calories: z.int(),
    protein: z.number().nullable(),
    carbs: z.number().nullable(),
    fats: z.number().nullable(),
  })
  .meta({
    id: 'Remaining',
    description: 'Goal less totals; below zero where more was eaten, null where there is no goal for it.',
  });
export type RemainingShape = z.infer<typeof RemainingShape>;

/** A day as the graph resolves it: its goal and its entries are read when they are asked for. */
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
    from: z.iso.date(),
    to: z.iso.date(),
    days: z.array(NutritionDayShape),
    averages: NutrientsShape.meta({ description: 'Over the days that have entries.' }),
    loggedDays: z.int(),
  })
  .meta({ id: 'DailyNutrition' });
export type DailyShape = z.infer<typeof DailyShape>;

export const BUCKETS = ['DAY', 'WEEK', 'MONTH'] as const;

export const SeriesPointShape = z
  .object({
    start: z.iso.date().meta({ description: 'First day of the bucket, inside the range.' }),
    end: z.iso.date(),
    totals: NutrientsShape,
    averages: NutrientsShape.meta({ description: 'A day, over the days that have entries.' }),
    goal: NutrientsShape.partial().nullable().meta({ description: 'Goal a day, the mean over the bucket.' }),
    loggedDays: z.int(),
    entries: z.int().meta({ description: 'How many.' }),
  })
  .meta({ id: 'NutritionPoint' });
export type SeriesPointShape = z.infer<typeof SeriesPointShape>;

const zone = timezone.optional().meta({
  description: "IANA time zone that decides which day is today. Default: the one of the user's profile.",
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
    .enum(CHART_METRICS, `expected ${CHART_METRICS.join(', ')}`)
    .optional()
    .meta({ description: 'calories (default), protein, carbs or fats.' }),
});
