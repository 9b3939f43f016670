import { z } from 'zod';
import { anyPassword, newPassword } from '../users/users.shapes.ts';

export const ChangePasswordShape = z
  .object({
    current: anyPassword,
    password: newPassword,
  })
  .meta({ graphType: 'ChangePasswordInput' });
