import { z } from 'zod';
import { AuditEventShape } from '../audit/audit.shapes.ts';
import { SessionShape } from '../sessions/sessions.shapes.ts';
import { Outcome } from './account-deletion.entity.ts';
import { anyPassword, UserShape } from '../users/users.shapes.ts';

export const DeleteAccountShape = z.object({
  password: anyPassword.meta({ description: 'The password, once more.' }),
});

export const AccountPartShape = z
  .object({
    service: z.string(),
    outcome: z.enum(Outcome),
    reason: z.string().nullable().meta({ description: 'What is kept and why, where something is.' }),
  })
  .meta({ id: 'AccountPart' });

export const AccountDeletionShape = z
  .object({
    id: z.uuid(),
    requestedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable().meta({ description: 'Null while a part is PENDING.' }),
    parts: z.array(AccountPartShape),
  })
  .meta({ id: 'AccountDeletion' });
export type AccountDeletionShape = z.infer<typeof AccountDeletionShape>;

export const AccountExportShape = z
  .object({
    exportedAt: z.iso.datetime(),
    services: z.object({
      identity: z.object({
        user: UserShape,
        sessions: z.array(SessionShape),
        auditEvents: z.array(AuditEventShape),
      }),
    }),
  })
  .meta({ id: 'AccountExport' });
export type AccountExportShape = z.infer<typeof AccountExportShape>;
