import { z } from 'zod';
import { emailText, newPassword } from '../users/users.shapes.ts';

export const RequestResetShape = z
  .object({ email: emailText })
  .meta({ graphType: 'RequestPasswordResetInput' });
export const ConfirmResetShape = z
  .object({
    token: z.string().max(200),
    password: newPassword,
  })
  .meta({ graphType: 'ResetPasswordInput' });
