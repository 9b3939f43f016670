import { defineEntity, p } from '@mikro-orm/core';

/** An event that a transaction has written, until the publisher moves it to `event`. */
const EventOutboxSchema = defineEntity({
  name: 'EventOutbox',
  tableName: 'event_outbox',
  properties: {
    position: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    type: p.string().length(64),
    gymId: p.uuid().nullable(),
    subject: p.string().length(128),
    locationId: p.uuid().nullable(),
    people: p.array().columnType('uuid[]'),
    occurredAt: p.datetime(),
    data: p.json<object>(),
    /** The W3C Trace Context of the request, if it was sampled; no answer contains it. */
    traceparent: p.string().length(55).nullable(),
  },
});

export class EventOutbox extends EventOutboxSchema.class {}
EventOutboxSchema.setClass(EventOutbox);

/** A published event, at its position in the feed. */
const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  indexes: [
    { properties: ['gymId', 'type', 'position'] }, // the feed of a gym
    { properties: ['type', 'position'] }, // the feed of all gyms
    {
      // finds the events of a period; rows are stored nearly in the order of `occurred_at`, so that a small BRIN index is enough
      name: 'event_occurred',
      expression:
        'create index "event_occurred" on "event" using brin ("occurred_at") with (pages_per_range = 16)',
    },
    {
      name: 'event_people',
      expression: 'create index "event_people" on "event" using gin ("people")',
    },
  ],
  uniques: [{ properties: ['id'] }], // so that the collected feed has an event only once
  properties: {
    position: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    type: p.string().length(64),
    gymId: p.uuid().nullable(),
    subject: p.string().length(128),
    /** The location that the data names. Machine clients of one location read no events of others. */
    locationId: p.uuid().nullable(),
    /** The users whom the data names. */
    people: p.array().columnType('uuid[]'),
    occurredAt: p.datetime(),
    data: p.json<object>(),
    /** The W3C Trace Context of the request, if it was sampled; no answer contains it. */
    traceparent: p.string().length(55).nullable(),
    publishedAt: p.datetime(),
  },
});

export class Event extends EventSchema.class {}
EventSchema.setClass(Event);
