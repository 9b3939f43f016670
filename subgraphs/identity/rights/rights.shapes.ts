import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { Role } from '#server/auth/viewer.ts';

export const SetRoleShape = z.object({ role: z.enum(Role) }).meta({ graphType: 'SetRoleInput' });
export const SetGymShape = z
  .object({
    gymId: uuid().nullable(),
  })
  .meta({ graphType: 'SetGymInput' });
