import { z } from 'zod';

export const GroupShape = z
  .object({
    id: z.uuid(),
    gymId: z.string(),
    name: z.string(),
    createdBy: z.string().nullable().meta({ description: 'Null once the account is deleted.' }),
    memberIds: z.array(z.string()),
    memberCount: z.int(),
    joined: z.boolean().meta({ description: 'Whether the caller is a member.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Group' });
export type GroupShape = z.infer<typeof GroupShape>;

export const CreateGroupShape = z.object({
  name: z
    .string('expected a name')
    .trim()
    .min(1, 'expected a name')
    .max(80, 'expected at most 80 characters'),
});
