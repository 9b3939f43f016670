import { z } from 'zod';
import { timezone } from '#server/shapes.ts';
import type { WizardDefinition } from './definition.ts';

export const memberOnboarding: WizardDefinition = {
  kind: 'MEMBER_ONBOARDING',
  version: 1,
  steps: [
    {
      key: 'profile',
      title: 'About you',
      shape: z.object({ displayName: z.string().trim().min(1).max(80), timezone: timezone.optional() }),
    },
    {
      key: 'body',
      title: 'Body',
      shape: z.object({
        heightCm: z.number().min(50).max(260),
        weightKg: z.number().min(20).max(400),
        sex: z.enum(['FEMALE', 'MALE', 'OTHER']).optional(),
        birthDate: z.iso.date('expected a day such as 1990-01-31').optional(),
      }),
    },
    {
      key: 'goals',
      title: 'Goals',
      shape: z.object({
        goals: z.array(z.string().min(1).max(60)).min(1).max(10),
        activity: z.string().max(60).optional(),
      }),
    },
    {
      key: 'nutrition',
      title: 'Nutrition target',
      shape: z.object({
        calories: z.int().min(500).max(10_000),
        protein: z.number().min(0).max(1_000).optional(),
        carbs: z.number().min(0).max(2_000).optional(),
        fats: z.number().min(0).max(1_000).optional(),
      }),
    },
    {
      key: 'slot',
      title: 'First visit',
      shape: z.object({ locationId: z.uuid(), startsAt: z.iso.datetime({ offset: true }) }),
    },
    {
      key: 'review',
      title: 'Review',
      shape: z.object({ confirmed: z.literal(true, 'expected true, to confirm') }),
    },
  ],
};
