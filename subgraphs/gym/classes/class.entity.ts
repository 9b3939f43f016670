import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { Location } from '../locations/location.entity.ts';

/** A change of a session and of all later sessions of its class. Absent fields are unchanged. */
export interface FollowingChange {
  /** The first occurrence to which the change applies, a local time. */
  from: string;
  /** By how many minutes of local time the sessions are later; negative: earlier. */
  shiftMinutes?: number;
  durationMinutes?: number;
  capacity?: number;
  instructor?: string | null;
  cancelled?: true;
}

const GymClassSchema = defineEntity({
  name: 'GymClass',
  tableName: 'gym_class',
  indexes: [
    { properties: ['gymId', 'title', 'id'] },
    { properties: ['locationId'] },
    // for the job that makes sessions
    {
      name: 'gym_class_made_until',
      expression: `create index "gym_class_made_until" on "gym_class" ("made_until") where "active" and "starts_at" is not null`,
    },
  ],
  uniques: [
    // each location has one class of first visits
    {
      name: 'gym_class_first_visit',
      expression:
        'create unique index "gym_class_first_visit" on "gym_class" ("location_id") where "is_first_visit"',
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    locationId: () => p.manyToOne(Location).mapToPk().joinColumn('location_id').deleteRule('cascade'),
    title: p.string().length(120),
    description: p.string().length(2_000).nullable(),
    durationMinutes: p.integer(),
    capacity: p.integer(),
    instructor: p.string().length(120).nullable(),
    cancelBeforeMinutes: p.integer().default(120),
    /** The first start in the location's local time, `YYYY-MM-DDTHH:MM`; null for first visits, which follow no rule. */
    startsAt: p.string().length(16).nullable(),
    /** The recurrence rule of RFC 5545; null if the class takes place once. */
    rrule: p.string().length(500).nullable(),
    /** Changes that staff have made to a session and all later ones. They also apply to sessions that do not exist yet. */
    following: p.json<FollowingChange[]>(),
    /** All sessions that begin before this time have been made. */
    madeUntil: p.datetime(),
    isFirstVisit: p.boolean().default(false),
    /** False once the class is deleted: its coming sessions are cancelled with their bookings. No row is removed. */
    active: p.boolean().default(true),
    /** Increases with every change. */
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class GymClass extends GymClassSchema.class {}
GymClassSchema.setClass(GymClass);

/** The calendar feed of a user. */
const CalendarFeedSchema = defineEntity({
  name: 'CalendarFeed',
  tableName: 'calendar_feed',
  indexes: [{ properties: ['gymId'] }],
  properties: {
    userId: p.uuid().primary(),
    /** The gym whose sessions the feed can show. */
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    /** The secret part of the feed's URL. It is stored unhashed, because the user may read the URL again. */
    token: p.string().length(64).unique(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class CalendarFeed extends CalendarFeedSchema.class {}
CalendarFeedSchema.setClass(CalendarFeed);
