import { z } from 'zod';
import { day, instant, timezone } from '#server/shapes.ts';
import { DOCUMENT, type WizardDefinition } from './definition.ts';

export const ProfileShape = z.object({
  displayName: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^\P{Cc}*$/u, 'expected text without control characters'),
  timezone: timezone.optional(),
});

export const BodyShape = z.object({
  heightCm: z.number().min(50).max(260),
  weightKg: z.number().min(20).max(400),
  sex: z.enum(['FEMALE', 'MALE', 'OTHER']).optional(),
  birthDate: day.optional(),
});

export const GoalsShape = z.object({
  goals: z.array(z.string().min(1).max(60)).min(1).max(10),
  activity: z.string().max(60).optional(),
  // false: the step `nutrition` does not apply
  nutritionTarget: z.boolean().optional(),
  // false: the step `slot` does not apply
  firstVisit: z.boolean().optional(),
});

export const NutritionShape = z.object({
  calories: z.int().min(500).max(10_000),
  protein: z.number().min(0).max(1_000).optional(),
  carbs: z.number().min(0).max(2_000).optional(),
  fats: z.number().min(0).max(1_000).optional(),
});

export const SlotShape = z.object({ locationId: z.uuid(), startsAt: instant });

export const memberOnboarding: WizardDefinition = {
  kind: 'MEMBER_ONBOARDING',
  version: 1,
  steps: [
    {
      key: 'profile',
      title: 'About you',
      shape: ProfileShape,
    },
    {
      key: 'body',
      title: 'Body',
      shape: BodyShape,
      files: DOCUMENT,
    },
    {
      key: 'goals',
      title: 'Goals',
      shape: GoalsShape,
    },
    {
      key: 'nutrition',
      title: 'Nutrition target',
      leftOutIf: { step: 'goals', field: 'nutritionTarget', is: false },
      shape: NutritionShape,
    },
    {
      key: 'slot',
      title: 'First visit',
      leftOutIf: { step: 'goals', field: 'firstVisit', is: false },
      shape: SlotShape,
    },
    {
      key: 'review',
      title: 'Review',
      shape: z.object({ confirmed: z.literal(true, 'expected true, to confirm') }),
      files: DOCUMENT,
    },
  ],
};
