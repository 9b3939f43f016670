import { z } from 'zod';
import { AuditAction } from './audit-event.entity.ts';

export const AuditEventShape = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    action: z.enum(AuditAction),
    actor: z.string().meta({ description: '`user:<id>`, `service:<name>`, `client:<id>` or `anonymous`.' }),
    subjectId: z.uuid().nullable().meta({ description: 'The user whose account the action concerned.' }),
    details: z.record(z.string(), z.string().nullable()),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventShape = z.infer<typeof AuditEventShape>;
