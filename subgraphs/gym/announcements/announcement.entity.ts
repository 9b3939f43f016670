import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

const AnnouncementSchema = defineEntity({
  name: 'Announcement',
  tableName: 'announcement',
  indexes: [{ properties: ['gymId', 'startsAt', 'id'] }, { properties: ['authorId', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: p.uuid(),
    /** Null once the account is deleted: it was the gym that spoke. */
    authorId: p.uuid().nullable(),
    title: p.string().length(120),
    text: p.text(),
    startsAt: p.datetime(),
    /** Null: until it is deleted. */
    endsAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Announcement extends AnnouncementSchema.class {}
AnnouncementSchema.setClass(Announcement);
