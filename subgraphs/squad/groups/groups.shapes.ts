import { z } from 'zod';
import { visibleText } from '#server/shapes.ts';

export const GroupShape = z
  .object({
    id: z.uuid(),
    gymId: z.string(),
    name: z.string(),
    createdBy: z
      .string()
      .nullable()
      .meta({ description: 'Null once the account is deleted, and if the caller may not see them.' }),
    memberIds: z
      .array(z.string())
      .meta({ description: 'In the order of joining, without users whom the caller may not see.' }),
    memberCount: z.int().meta({ description: 'How many `memberIds` there are.' }),
    joined: z.boolean().meta({ description: 'Whether the caller is a member.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Group' });
export type GroupShape = z.infer<typeof GroupShape>;

export const CreateGroupShape = z.object({
  name: visibleText(80),
});
