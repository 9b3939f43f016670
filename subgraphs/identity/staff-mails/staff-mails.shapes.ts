import { z } from 'zod';
import { visibleText } from '#server/shapes.ts';

export const StaffMailInput = z.object({
  gymId: z.uuid().nullable().meta({ description: 'Null: to the SUPER_ADMINs.' }),
  subject: visibleText(200),
  text: visibleText(10_000),
});
