import { z } from 'zod';
import { emailText, newPassword, PASSWORD_RULES } from '../users/users.shapes.ts';

export const RequestResetShape = z
  .object({ email: emailText })
  .meta({ graphType: 'RequestPasswordResetInput' });
export const ConfirmResetShape = z
  .object({
    token: z.string().max(200).meta({ description: 'The token of the mail.' }),
    password: newPassword.meta({ description: PASSWORD_RULES }),
  })
  .meta({ graphType: 'ResetPasswordInput' });
