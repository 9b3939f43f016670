import { z } from 'zod';

export const VerifyEmailShape = z
  .object({ token: z.string().max(200) })
  .meta({ graphType: 'VerifyEmailInput' });
