import { z } from 'zod';
import { AuditAction } from './audit-event.entity.ts';

export const AuditEventShape = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    action: z.enum(AuditAction),
    actor: z.string(),
    subjectId: z.uuid().nullable(),
    details: z.record(z.string(), z.string().nullable()),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventShape = z.infer<typeof AuditEventShape>;
