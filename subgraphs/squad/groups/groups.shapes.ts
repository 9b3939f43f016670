import { z } from 'zod';
import { visibleText } from '#server/shapes.ts';

export const GroupShape = z
  .object({
    id: z.uuid(),
    gymId: z.string(),
    name: z.string(),
    createdBy: z.string().nullable().meta({
      description: 'Null if the account of this user is deleted, or if the caller may not see them.',
    }),
    memberIds: z
      .array(z.string())
      .meta({ description: 'In the order of joining, without users whom the caller may not see.' }),
    memberCount: z.int().meta({ description: 'The number of `memberIds`.' }),
    joined: z.boolean().meta({ description: 'Whether the caller is a member.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Group' });
export type GroupShape = z.infer<typeof GroupShape>;

export const CreateGroupShape = z
  .object({
    name: visibleText(80),
  })
  .meta({ graphType: 'CreateGroupInput' });
