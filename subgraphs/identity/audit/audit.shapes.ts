import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { RangeInput } from '#server/time-range.ts';
import { AuditAction } from './audit-event.entity.ts';

/** The filters of the audit trail. */
export const AuditFilter = RangeInput.extend({
  userId: uuid().nullish(),
  gymId: uuid().nullish(),
  action: z.enum(AuditAction, 'expected the name of an action, such as ROLE_CHANGED').nullish(),
});

export const AuditEventShape = z
  .object({
    id: uuid(),
    at: z.iso.datetime(),
    action: z.enum(AuditAction),
    actor: z.string(),
    subjectId: uuid().nullable(),
    details: z.record(z.string(), z.string().nullable()),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventShape = z.infer<typeof AuditEventShape>;
