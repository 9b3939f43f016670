import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { Outcome } from './account-deletion.entity.ts';
import { anyPassword } from '../users/users.shapes.ts';

// Accepts other fields and ignores them: some clients send all fields of a form.
export const DeleteAccountShape = z
  .looseObject({
    password: anyPassword,
  })
  .meta({ graphType: 'DeleteMyAccountInput' });

const AccountPartShape = z
  .object({
    service: z.string(),
    outcome: z.enum(Outcome),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AccountPart' });

export const AccountDeletionShape = z
  .object({
    id: uuid(),
    requestedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    parts: z.array(AccountPartShape),
  })
  .meta({ id: 'AccountDeletion' });
export type AccountDeletionShape = z.infer<typeof AccountDeletionShape>;

export const AccountExportShape = z
  .object({
    id: uuid(),
    requestedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime(),
    parts: z.array(z.object({ service: z.string(), status: z.enum(['PENDING', 'DONE']) })),
    document: z.string().nullable(),
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
