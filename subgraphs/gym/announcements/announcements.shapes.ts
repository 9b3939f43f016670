import { z } from 'zod';
import { instant, uuid, versionNumber, visibleText } from '#server/shapes.ts';

export const AnnouncementShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    authorId: uuid()
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
    gymId: uuid().nullish(),
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

/** Fields that are absent or null are unchanged, but `endsAt: null` makes the announcement valid until it is deleted. */
export const UpdateAnnouncementInput = z
  .object({
    title: visibleText(120).nullish(),
    text: visibleText(5_000).nullish(),
    startsAt: instant.nullish(),
    endsAt: instant.nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateAnnouncementInput' });
