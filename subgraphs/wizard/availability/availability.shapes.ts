import { z } from 'zod';
import { EXPECTED_STORABLE, flag, uuid } from '#server/shapes.ts';
import { RESOURCES } from './resources.ts';

export const resource = z.enum(RESOURCES, `expected one of ${RESOURCES.join(', ')}`);

/** The reasons why a value is not available. */
const REASONS = [
  'INVALID',
  'TAKEN',
  'RESERVED',
  'FULL',
  'CLOSED',
  'PAST',
  'TOO_FAR',
  'BOOKED',
  'UNKNOWN_LOCATION',
] as const;
export type Reason = (typeof REASONS)[number];

export const CheckAvailabilityShape = z.object({
  resource: resource.meta({ description: 'What the value is: `gym-name`, `gym-slug`, `email` or `slot`.' }),
  value: z
    .string('expected a value')
    .trim()
    .min(1, 'expected a value')
    .max(300)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), EXPECTED_STORABLE)
    .meta({
      description:
        'A name, a slug, an email, or for a slot `<locationId>@<start>`, e.g. `0190...@2027-01-31T18:00:00Z`.',
    }),
  // In the graph it is a boolean; in a REST query it is a text.
  reserve: z.union([z.boolean(), flag]).nullish().meta({
    description:
      'Reserves the value for the session for 15 minutes, if it is available; requires `sessionId`.',
  }),
  sessionId: uuid().nullish().meta({
    description:
      'The session for which the value is checked: values that it has reserved itself are available to it.',
  }),
});

export const AvailabilityShape = z
  .object({
    resource,
    value: z.string(),
    available: z.boolean(),
    reason: z.enum(REASONS).optional(),
    suggestions: z.array(z.string()),
    reservedUntil: z.iso.datetime().optional(),
  })
  .meta({ id: 'Availability' });
export type AvailabilityShape = z.infer<typeof AvailabilityShape>;
