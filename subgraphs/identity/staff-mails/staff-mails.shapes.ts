import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const StaffMailInput = z.object({
  gymId: uuid().nullable().meta({ description: 'Null: to the SUPER_ADMINs.' }),
  subject: visibleText(200).meta({ description: 'The subject of the mail.' }),
  text: visibleText(10_000).meta({ description: 'The text of the mail.' }),
});
