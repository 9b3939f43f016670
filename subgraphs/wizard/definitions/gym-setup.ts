import { z } from 'zod';
import { timezone } from '#server/shapes.ts';
import type { WizardDefinition } from './definition.ts';

const colour = z
  .string()
  .regex(/^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i, 'expected a colour such as #1a2b3c');
const openingTime = z.string().regex(/^([01]\d|2[0-4]):[0-5]\d$/, 'expected a time such as 06:30');

export const gymSetup: WizardDefinition = {
  kind: 'GYM_SETUP',
  version: 1,
  steps: [
    {
      key: 'basics',
      title: 'Name and address',
      shape: z.object({
        name: z.string().trim().min(2).max(120),
        slug: z
          .string()
          .regex(
            /^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/,
            'expected 3 to 63 lower-case letters, digits and hyphens',
          ),
        timezone,
      }),
    },
    {
      key: 'branding',
      title: 'Colours and pictures',
      shape: z.object({
        theme: z.looseObject({
          colors: z.looseObject({ primary: colour }),
          typography: z.looseObject({}).optional(),
          spacing: z.looseObject({}).optional(),
        }),
        assets: z.record(z.string(), z.string()).optional(),
      }),
    },
    {
      key: 'locations',
      title: 'Locations',
      shape: z.object({
        locations: z
          .array(
            z.object({
              name: z.string().trim().min(1).max(120),
              capacity: z.int().min(1).max(100_000),
              address: z.string().max(300).optional(),
              timezone: timezone.optional(),
              openingHours: z
                .record(
                  z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']),
                  z.object({ opens: openingTime, closes: openingTime }),
                )
                .optional(),
            }),
          )
          .min(1, 'expected at least one location')
          .max(50),
      }),
    },
    {
      key: 'features',
      title: 'Modules',
      shape: z.object({ features: z.record(z.string(), z.boolean('expected true or false')) }),
    },
    {
      key: 'admin',
      title: 'First admin',
      shape: z.object({ email: z.email(), displayName: z.string().trim().min(1).max(80) }),
    },
    {
      key: 'review',
      title: 'Review',
      shape: z.object({ confirmed: z.literal(true, 'expected true, to confirm') }),
    },
  ],
};
