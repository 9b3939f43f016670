import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const MemberMailInput = z.object({
  userId: uuid().meta({ description: 'The user who gets the mail.' }),
  subject: visibleText(200).meta({ description: 'The subject of the mail.' }),
  text: visibleText(10_000).meta({ description: 'The text of the mail.' }),
});
