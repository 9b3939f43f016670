import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import type { OpeningHours } from '#server/shapes.ts';
import { Gym } from '../gyms/gym.entity.ts';

const LocationSchema = defineEntity({
  name: 'Location',
  tableName: 'location',
  indexes: [{ properties: ['gymId', 'name', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    name: p.string().length(120),
    address: p.string().length(300).nullable(),
    timezone: p.string().length(64),
    capacity: p.integer(),
    maxStayMinutes: p.integer().default(90),
    /** Null if they are unknown. */
    openingHours: p.json<OpeningHours>().nullable(),
    /** The level of the last event `occupancy.level_changed`. */
    announcedLevel: p.string().length(8).$type<'OK' | 'BUSY' | 'FULL'>().default('OK'),
    /** Increases with every change. */
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

export class Location extends LocationSchema.class {}
LocationSchema.setClass(Location);
