import { z } from 'zod';
import { day, versionNumber } from '#server/shapes.ts';

const macro = z.number().min(0).max(5_000).nullable();

export const NutritionGoalShape = z
  .object({
    calories: z.int().meta({ description: 'kcal a day' }),
    protein: z.number().nullable().meta({ description: 'g a day; null: no goal' }),
    carbs: z.number().nullable(),
    fats: z.number().nullable(),
    weekday: z
      .int()
      .nullable()
      .meta({ description: '1 (Monday) to 7 (Sunday): for that day of every week.' }),
    date: z.iso.date().nullable().meta({ description: 'For that day alone.' }),
    from: z.iso.date().nullable().meta({
      description: 'First day on which it holds; null for the goal of a single date.',
    }),
    until: z.iso.date().nullable().meta({
      description:
        'Last day on which it holds, because another one follows or it was taken away; null: it still holds.',
    }),
    version: z.int(),
  })
  .meta({ id: 'NutritionGoal', description: 'With neither weekday nor date: the default.' });
export type NutritionGoalShape = z.infer<typeof NutritionGoalShape>;

const place = {
  weekday: z
    .int()
    .min(1, 'expected 1 (Monday) to 7 (Sunday)')
    .max(7, 'expected 1 (Monday) to 7 (Sunday)')
    .nullish(),
  date: day.nullish(),
  from: day.nullish().meta({
    description:
      "First day on which it holds, also one that is past. Default: the user's today. Not with `date`.",
  }),
};
const fromWithoutDate = ({
  date,
  from,
}: {
  date?: string | null | undefined;
  from?: string | null | undefined;
}) => !(date && from);
const NO_FROM = { path: ['from'], message: 'expected none beside date, which is a single day' };
const oneAtMost = ({
  weekday,
  date,
}: {
  weekday?: number | null | undefined;
  date?: string | null | undefined;
}) => !(weekday && date);

export const SetGoalShape = z
  .object({
    userId: z
      .uuid()
      .nullish()
      .meta({ description: 'For a service of the platform: for whom. Users set their own.' }),
    calories: z.int('expected whole kcal').min(1).max(20_000),
    protein: macro.optional(),
    carbs: macro.optional(),
    fats: macro.optional(),
    ...place,
    version: versionNumber.nullish(),
  })
  .refine(oneAtMost, { path: ['date'], message: 'expected weekday or date, got both' })
  .refine(fromWithoutDate, NO_FROM);

export const GoalPlaceShape = z
  .object({
    weekday: z.coerce
      .number()
      .int()
      .min(1, 'expected 1 (Monday) to 7 (Sunday)')
      .max(7, 'expected 1 (Monday) to 7 (Sunday)')
      .optional(),
    date: day.optional(),
    from: day.optional().meta({
      description:
        "From which day on it is taken away; days before keep it. Default: the user's today. Not with `date`.",
    }),
  })
  .refine(oneAtMost, { path: ['date'], message: 'expected weekday or date, got both' })
  .refine(fromWithoutDate, NO_FROM);
