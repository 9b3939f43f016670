import { z } from 'zod';
import { UserShape } from '../users/users.shapes.ts';

/** A lasting code has 31 characters, a short-lived one 128. */
const MAX_CODE_CHARACTERS = 1_024;

export const codeParams = z.object({
  qrCode: z
    .string()
    .max(MAX_CODE_CHARACTERS)
    .meta({ description: "The user's lasting or short-lived code." }),
});

export const ShortLivedQrCodeShape = z
  .object({ code: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'ShortLivedQrCode' });
export type ShortLivedQrCodeShape = z.infer<typeof ShortLivedQrCodeShape>;

export const ResolvedQrCodeShape = z
  .object({
    user: UserShape.meta({ description: 'The owner of the code.' }),
    isShortLived: z.boolean().meta({ description: 'Whether the code works for a minute only.' }),
    isExpired: z.boolean().meta({ description: 'Whether the minute is over.' }),
  })
  .meta({ id: 'ResolvedQrCode' });
export type ResolvedQrCodeShape = z.infer<typeof ResolvedQrCodeShape>;
