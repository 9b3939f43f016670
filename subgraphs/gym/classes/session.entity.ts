import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { Location } from '../locations/location.entity.ts';
import { GymClass } from './class.entity.ts';

export const SessionStatus = { SCHEDULED: 'SCHEDULED', CANCELLED: 'CANCELLED', DONE: 'DONE' } as const;
export type SessionStatus = (typeof SessionStatus)[keyof typeof SessionStatus];

const ClassSessionSchema = defineEntity({
  name: 'ClassSession',
  tableName: 'class_session',
  indexes: [
    { properties: ['gymId', 'startsAt', 'id'] },
    { properties: ['locationId', 'startsAt', 'id'] },
    { properties: ['classId', 'startsAt', 'id'] },
    // for subscribers that may have missed changes
    { properties: ['locationId', 'changedAt'] },
    // for the sessions that begin or end next
    {
      name: 'class_session_scheduled_by_start',
      expression: `create index "class_session_scheduled_by_start" on "class_session" ("starts_at") where "status" = 'SCHEDULED'`,
    },
    {
      name: 'class_session_scheduled_by_end',
      expression: `create index "class_session_scheduled_by_end" on "class_session" ("ends_at") where "status" = 'SCHEDULED'`,
    },
  ],
  // an occurrence of the recurrence rule becomes a session once, whatever the job does
  uniques: [{ properties: ['classId', 'occurrence'] }],
  checks: [
    // never more people than places, whatever the code does
    { name: 'class_session_places', expression: '"booked" >= 0 and "booked" <= "capacity"' },
    { name: 'class_session_waiting', expression: '"waiting" >= 0' },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    classId: () => p.manyToOne(GymClass).mapToPk().joinColumn('class_id').deleteRule('cascade'),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    locationId: () => p.manyToOne(Location).mapToPk().joinColumn('location_id').deleteRule('cascade'),
    /**
     * The local start by the recurrence rule. It stays if the session is moved. For first visits, which follow no rule, it
     * is the start in UTC. Null if a new rule of the class has no start for the session.
     */
    occurrence: p.string().length(16).nullable(),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    capacity: p.integer(),
    instructor: p.string().length(120).nullable(),
    status: p.string().length(16).$type<SessionStatus>().default(SessionStatus.SCHEDULED),
    /** Bookings that have a place. */
    booked: p.integer().default(0),
    /** Bookings on the waiting list. */
    waiting: p.integer().default(0),
    /** The number of the last booking; bookings are numbered in the order of their arrival. */
    lastNumber: p.integer().default(0),
    /** Whether staff have changed this session individually. Changes of the class then do not apply to it. */
    edited: p.boolean().default(false),
    /** Increases with every change of the session itself, not with bookings. */
    version: p.integer().default(1),
    /** The time of the last change, also by a booking. */
    changedAt: p.datetime(),
  },
});

export class ClassSession extends ClassSessionSchema.class {}
ClassSessionSchema.setClass(ClassSession);
