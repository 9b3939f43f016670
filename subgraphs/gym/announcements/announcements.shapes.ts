import { z } from 'zod';
import { instant, visibleText } from '#server/shapes.ts';

export const AnnouncementShape = z
  .object({
    id: z.uuid(),
    gymId: z.uuid(),
    authorId: z
      .uuid()
      .nullable()
      .meta({ description: 'The user who published it; null once the account is deleted.' }),
    title: z.string(),
    text: z.string(),
    version: z.int(),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Announcement' });
export type AnnouncementShape = z.infer<typeof AnnouncementShape>;

export const CreateAnnouncementInput = z
  .object({
    gymId: z.uuid().nullish(),
    title: visibleText(120),
    text: visibleText(5_000),
    startsAt: instant.nullish(),
    endsAt: instant.nullish(),
  })
  .refine(
    ({ startsAt, endsAt }) =>
      !endsAt || !(Date.parse(startsAt ?? new Date().toISOString()) >= Date.parse(endsAt)),
    { path: ['endsAt'], message: 'expected a time after startsAt' },
  )
  .meta({ graphType: 'CreateAnnouncementInput' });
