import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';

const AnnouncementSchema = defineEntity({
  name: 'Announcement',
  tableName: 'announcement',
  indexes: [{ properties: ['gymId', 'startsAt', 'id'] }, { properties: ['authorId', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    /** Null once the account is deleted. The announcement stays, because it belongs to the gym. */
    authorId: p.uuid().nullable(),
    title: p.string().length(120),
    text: p.text(),
    startsAt: p.datetime(),
    /** Null: valid until it is deleted. */
    endsAt: p.datetime().nullable(),
    /** Increases with every change. */
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Announcement extends AnnouncementSchema.class {}
AnnouncementSchema.setClass(Announcement);
