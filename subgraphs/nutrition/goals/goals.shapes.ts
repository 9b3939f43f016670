import { z } from 'zod';
import { day, uuid, versionNumber } from '#server/shapes.ts';

const macro = z.number().min(0).max(5_000).nullable();

export const NutritionGoalShape = z
  .object({
    calories: z.int(),
    protein: z.number().nullable(),
    carbs: z.number().nullable(),
    fats: z.number().nullable(),
    weekday: z.int().nullable(),
    date: z.iso.date().nullable(),
    from: z.iso.date().nullable(),
    until: z.iso.date().nullable(),
    version: z.int(),
  })
  .meta({ id: 'NutritionGoal', description: 'With neither weekday nor date, it is the default goal.' });
export type NutritionGoalShape = z.infer<typeof NutritionGoalShape>;

const expectedWeekday = 'expected 1 (Monday) to 7 (Sunday)';
const weekday = z.int().min(1, expectedWeekday).max(7, expectedWeekday);

interface GoalDays {
  weekday?: number | null | undefined;
  date?: string | null | undefined;
  from?: string | null | undefined;
}

/** A goal is either for one date; or it is valid from a day on, for a weekday or as the default. */
const checkDays = ({ weekday: onWeekday, date, from }: GoalDays, context: z.RefinementCtx): void => {
  const issue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (onWeekday && date) issue('date', 'expected weekday or date, got both');
  if (from && date) issue('from', 'expected no first day together with date, which is a single day');
};

export const SetGoalShape = z
  .object({
    userId: uuid().nullish().meta({ description: 'Only for a service of the platform: the user.' }),
    calories: z.int('expected whole kcal from 1 to 20000').min(1).max(20_000),
    protein: macro.optional(),
    carbs: macro.optional(),
    fats: macro.optional(),
    weekday: weekday.nullish(),
    date: day.nullish(),
    from: day.nullish(),
    version: versionNumber.nullish(),
    changeId: uuid().nullish().meta({
      description:
        'Only for a service of the platform: an id of the change that the service chooses, by which it can undo the change.',
    }),
  })
  .superRefine(checkDays)
  .meta({ graphType: 'SetNutritionGoalInput' });

export const GoalDaysShape = z
  .object({
    weekday: z.coerce
      .number()
      .int()
      .min(1, expectedWeekday)
      .max(7, expectedWeekday)
      .optional()
      .meta({ description: '1 (Monday) to 7 (Sunday). Not with `date`.' }),
    date: day.optional(),
    from: day.optional().meta({
      description:
        "First day without the goal; earlier days keep it. Default: the user's today. Not with `date`.",
    }),
  })
  .superRefine(checkDays);
