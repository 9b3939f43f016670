import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import type { OpeningHours } from '#server/shapes.ts';

const LocationSchema = defineEntity({
  name: 'Location',
  tableName: 'location',
  indexes: [{ properties: ['gymId', 'name', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: p.uuid(),
    name: p.string().length(120),
    address: p.string().length(300).nullable(),
    timezone: p.string().length(64),
    capacity: p.integer(),
    maxStayMinutes: p.integer().default(90),
    /** null: not known */
    openingHours: p.json<OpeningHours>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

export class Location extends LocationSchema.class {}
LocationSchema.setClass(Location);
