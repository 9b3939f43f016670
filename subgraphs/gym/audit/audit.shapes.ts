import { z } from 'zod';
import { uuid } from '#server/shapes.ts';

/** The name of an action, as the records have it. */
export const actionName = z
  .string()
  .regex(/^[A-Z][A-Z_]{0,63}$/, 'expected the name of an action, such as CHECK_IN_OVERRIDE')
  .meta({ description: 'Only records of this action, such as `CHECK_IN_OVERRIDE`.' });

export const GymAuditEventShape = z
  .object({
    id: uuid(),
    at: z.iso.datetime(),
    action: z.string(),
    actor: z.string(),
    subjectId: uuid().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'GymAuditEvent' });
export type GymAuditEventShape = z.infer<typeof GymAuditEventShape>;
