import { defineEntity, p } from '@mikro-orm/core';
import type { JoinPolicy } from '#server/gym-shapes.ts';
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
    /** The time zone of the gym itself; each location has its own. */
    timezone: p.string().length(64).default('UTC'),
    joinPolicy: p.string().length(16).$type<JoinPolicy>().default('OPEN'),
    /** If false, nobody joins or checks in, and rules that call `requireOpenGym` refuse to write; all data can be read. */
    active: p.boolean().default(true),
    /** Increases with every change of `name`, `timezone`, `joinPolicy` and `active`. */
    detailsVersion: p.integer().default(1),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    /** Version of theme, assets and features together. */
    version: p.integer().default(1),
    /** Null while a service is setting the gym up; only that service can see the gym as long as this is null. */
    openedAt: p.datetime().nullable().defaultRaw('now()'),
    /** The service that created the gym; null if a SUPER_ADMIN did, or if the gym is older than this column. */
    madeBy: p.string().length(32).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When the current theme, assets and features were published; a change of the name, for example, does not change it. */
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Gym extends GymSchema.class {}
GymSchema.setClass(Gym);
