import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

const GymSchema = defineEntity({
  name: 'Gym',
  tableName: 'gym',
  indexes: [{ name: 'gym_by_name', expression: 'create index "gym_by_name" on "gym" (lower("name"))' }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    slug: p.string().length(63).unique(),
    name: p.string().length(120),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    /** Version of theme, assets and features together. */
    version: p.integer().default(1),
    /** Null while a service is setting the gym up; only that service can see the gym as long as this is null. */
    openedAt: p.datetime().nullable().defaultRaw('now()'),
    /** The service that created the gym; null if a SUPER_ADMIN created it. */
    madeBy: p.string().length(32).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Gym extends GymSchema.class {}
GymSchema.setClass(Gym);
