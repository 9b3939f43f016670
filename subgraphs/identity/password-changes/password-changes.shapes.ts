import { z } from 'zod';
import { anyPassword, newPassword, PASSWORD_RULES } from '../users/users.shapes.ts';

export const ChangePasswordShape = z
  .object({
    current: anyPassword,
    password: newPassword.meta({ description: PASSWORD_RULES }),
  })
  .meta({ graphType: 'ChangePasswordInput' });
