import { z } from 'zod';
import { Outcome } from './account-deletion.entity.ts';
import { anyPassword } from '../users/users.shapes.ts';

// Accepts other fields and ignores them: some clients send all fields of a form.
export const DeleteAccountShape = z
  .looseObject({
    password: anyPassword.meta({ description: 'The current password, as confirmation.' }),
  })
  .meta({ graphType: 'DeleteMyAccountInput' });

const AccountPartShape = z
  .object({
    service: z.string(),
    outcome: z.enum(Outcome).meta({
      description:
        'PENDING: not done yet. DELETED: nothing about the user is left but their id, which the service stores to refuse later writes. ANONYMISED: records are left without the id and everything else that identifies the user. RETAINED: records with the id of the user are kept.',
    }),
    reason: z.string().nullable().meta({ description: 'Which records are kept, and why; null if none are.' }),
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
    id: z.uuid(),
    requestedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable().meta({ description: 'Null while a part is PENDING.' }),
    expiresAt: z.iso.datetime().meta({ description: 'The export can be downloaded until this time.' }),
    parts: z
      .array(z.object({ service: z.string(), status: z.enum(['PENDING', 'DONE']) }))
      .meta({ description: 'One part for each service.' }),
    document: z
      .string()
      .nullable()
      .meta({ description: 'Path of the document; null until the export is complete.' }),
  })
  .meta({ id: 'AccountExport' });
export type AccountExportShape = z.infer<typeof AccountExportShape>;

export const AccountDocumentShape = z
  .object({
    exportedAt: z.iso.datetime().meta({ description: 'The time at which the document was made.' }),
    services: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
      description:
        'By service, then by kind: lists of records, and for identity the object `user`. A kind without records is an empty list.',
    }),
  })
  .meta({ id: 'AccountDocument' });
