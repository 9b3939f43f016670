import { z } from 'zod';
import { RESOURCES } from './resources.ts';

export const resource = z.enum(RESOURCES, `expected one of ${RESOURCES.join(', ')}`);

/** Why something is not available. */
export const REASONS = [
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
  resource,
  value: z
    .string('expected a value')
    .trim()
    .min(1, 'expected a value')
    .max(300)
    .refine(
      (text) => !text.includes('\0') && text.isWellFormed(),
      'expected text without NUL and without half characters',
    )
    .meta({
      description:
        'A name, a slug, an email; of a slot `<locationId>@<start>`, e.g. `0190...@2027-01-31T18:00:00Z`.',
    }),
  reserve: z
    .union([
      z.boolean(),
      z.enum(['true', 'false'], 'expected true or false').transform((word) => word === 'true'),
    ])
    .nullish()
    .meta({ description: 'Holds it for the session for 15 minutes, if it is available; needs `sessionId`.' }),
  sessionId: z.uuid().nullish(),
});

export const AvailabilityShape = z
  .object({
    resource,
    value: z.string(),
    available: z.boolean(),
    reason: z.enum(REASONS).optional().meta({
      description:
        'Where it is not: INVALID breaks a rule, TAKEN belongs to somebody, RESERVED is held by another session for now; of a slot also FULL, CLOSED, PAST, TOO_FAR (more than 90 days ahead), BOOKED (the member has another first visit), UNKNOWN_LOCATION.',
    }),
    suggestions: z.array(z.string()).meta({ description: 'What is available instead; at most three.' }),
    reservedUntil: z.iso.datetime().optional().meta({ description: 'Where it is held for the session now.' }),
  })
  .meta({ id: 'Availability' });
export type AvailabilityShape = z.infer<typeof AvailabilityShape>;
