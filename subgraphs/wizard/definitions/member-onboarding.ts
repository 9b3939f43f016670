import { z } from 'zod';
import {
  activity,
  birthDate,
  displayName,
  heightCm,
  sex,
  trainingGoals,
  weightKg,
} from '#server/person-shapes.ts';
import { instant, timezone, uuid } from '#server/shapes.ts';
import { DOCUMENT, type WizardDefinition } from './definition.ts';

export const ProfileShape = z.object({ displayName, timezone: timezone.optional() });

export const BodyShape = z.object({
  heightCm,
  weightKg,
  sex: sex.optional(),
  birthDate: birthDate.optional(),
});

export const GoalsShape = z.object({
  goals: trainingGoals.min(1),
  activity: activity.optional(),
  // false: the step `nutrition` is skipped
  nutritionTarget: z.boolean().optional(),
  // false: the step `slot` is skipped
  firstVisit: z.boolean().optional(),
});

export const NutritionShape = z.object({
  calories: z.int().min(500).max(10_000),
  protein: z.number().min(0).max(1_000).optional(),
  carbs: z.number().min(0).max(2_000).optional(),
  fats: z.number().min(0).max(1_000).optional(),
});

export const SlotShape = z.object({ locationId: uuid(), startsAt: instant });

export const memberOnboarding: WizardDefinition = {
  kind: 'MEMBER_ONBOARDING',
  version: 1,
  // email: a client may reserve the address with which its user is about to register
  reserves: ['slot', 'email'],
  steps: [
    {
      key: 'profile',
      title: 'About you',
      shape: ProfileShape,
      keptWhenDeployed: [],
    },
    {
      key: 'body',
      title: 'Body',
      shape: BodyShape,
      keptWhenDeployed: [],
      files: DOCUMENT,
    },
    {
      key: 'goals',
      title: 'Goals',
      shape: GoalsShape,
      keptWhenDeployed: ['nutritionTarget', 'firstVisit'],
    },
    {
      key: 'nutrition',
      title: 'Nutrition target',
      skipIf: { step: 'goals', field: 'nutritionTarget', is: false },
      shape: NutritionShape,
      keptWhenDeployed: [],
    },
    {
      key: 'slot',
      title: 'First visit',
      skipIf: { step: 'goals', field: 'firstVisit', is: false },
      shape: SlotShape,
      keptWhenDeployed: [],
    },
    {
      key: 'review',
      title: 'Review',
      shape: z.object({ confirmed: z.literal(true, 'expected true, to confirm') }),
      files: DOCUMENT,
    },
  ],
};
