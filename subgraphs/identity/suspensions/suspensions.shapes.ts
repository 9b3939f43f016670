import { z } from 'zod';
import { visibleText } from '#server/shapes.ts';

export const SetSuspensionShape = z
  .object({
    suspended: z.boolean('expected true or false'),
    reason: visibleText(500).nullish(),
  })
  .meta({ graphType: 'SetSuspensionInput' });
