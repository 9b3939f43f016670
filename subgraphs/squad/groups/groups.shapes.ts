import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const GroupShape = z
  .object({
    id: uuid(),
    gymId: z.string(),
    name: z.string(),
    createdBy: z.string().nullable(),
    memberIds: z
      .array(z.string())
      .meta({ description: 'In the order of joining, without users whom the caller may not see.' }),
    memberCount: z.int(),
    joined: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Group' });
export type GroupShape = z.infer<typeof GroupShape>;

export const CreateGroupShape = z
  .object({
    name: visibleText(80),
  })
  .meta({ graphType: 'CreateGroupInput' });
