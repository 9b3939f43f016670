import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import type { OpeningException, OpeningHours } from '#server/opening-hours.ts';
import { Gym } from '../gyms/gym.entity.ts';

/** The check-in codes that a location accepts. */
export const QrPolicy = {
  ANY: 'ANY',
  /** Only codes that work for a minute, so that a picture of a code is of no use. */
  SHORT_LIVED: 'SHORT_LIVED',
} as const;
export type QrPolicy = (typeof QrPolicy)[keyof typeof QrPolicy];

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
    /** Null if they are unknown: the location is always open. */
    openingHours: p.json<OpeningHours>().nullable(),
    openingExceptions: p.json<OpeningException[]>().default([]),
    qrPolicy: p.string().length(16).$type<QrPolicy>().default(QrPolicy.ANY),
    /** The level of the last event `occupancy.level_changed`. */
    announcedLevel: p.string().length(8).$type<'OK' | 'BUSY' | 'FULL'>().default('OK'),
    /** Increases with every change by staff. */
    version: p.integer().default(1),
    /** When the location was closed for good; null while it is in use. */
    closedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

export class Location extends LocationSchema.class {}
LocationSchema.setClass(Location);
