import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { RegisterShape } from '../users/users.shapes.ts';

export const InviteShape = z.object({
  id: z.uuid().nullish().meta({
    description:
      'For a service of the platform, which chooses the id: a repeated invitation is then the same one.',
  }),
  email: RegisterShape.shape.email,
  displayName: RegisterShape.shape.displayName,
  role: z.enum(Role).nullish().meta({ description: 'Default MEMBER.' }),
  gymId: z.uuid().nullish(),
});
