import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { UserShape } from '../users/users.shapes.ts';

export const PeopleInput = z.object({
  ids: z.array(uuid()).max(1_000).meta({ description: 'The ids of at most 1,000 users.' }),
});

export const PersonShape = UserShape.pick({ id: true, displayName: true, avatar: true }).meta({
  id: 'Person',
  graphType: 'User',
});
