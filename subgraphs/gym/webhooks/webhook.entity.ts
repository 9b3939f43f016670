import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { Location } from '../locations/location.entity.ts';

/** An address to which events are sent. */
const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  indexes: [
    { properties: ['gymId', 'id'] },
    { properties: ['locationId'] },
    {
      name: 'webhook_mail_due',
      expression: `create index "webhook_mail_due" on "webhook" ("mail_due_at") where "mail_due_at" is not null`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    /** Null: the events of all gyms. */
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade').nullable(),
    url: p.text(),
    types: p.array(),
    description: p.string().length(200).nullable(),
    active: p.boolean().default(true),
    /** Why the platform has switched the webhook off. */
    disabledReason: p.text().nullable(),
    /** The only location whose events are sent, for a webhook of a machine client with a location. */
    locationId: () =>
      p.manyToOne(Location).mapToPk().joinColumn('location_id').deleteRule('cascade').nullable(),
    /** It signs the deliveries, so it cannot be stored as a hash. */
    secret: p.text().hidden(),
    /** The secret before the last rotation. It signs, too, until `previousUntil`. */
    previousSecret: p.text().nullable().hidden(),
    previousUntil: p.datetime().nullable(),
    /** The position of the feed when the webhook was created; earlier events are not sent. */
    sincePosition: p.bigint('number'),
    /** The time of the first failed attempt since a delivery was received; null if no attempt has failed since then. */
    failingSince: p.datetime().nullable(),
    /** When the webhook was switched off; null once identity has stored the mail about it, or the mail is given up. */
    mailDueAt: p.datetime().nullable(),
    /** How often identity has not stored this mail. */
    mailFailures: p.integer().default(0),
    createdAt: p.datetime(),
    /** Increases with every change. */
    version: p.integer().default(1),
  },
});

export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook);

export const DeliveryStatus = {
  /** It is sent at `nextAttemptAt`. */
  PENDING: 'PENDING',
  DELIVERED: 'DELIVERED',
  /** It is not sent any more. */
  FAILED: 'FAILED',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

/** One try to send an event. */
export interface DeliveryAttempt {
  at: string;
  /** Null if there was no answer. */
  statusCode: number | null;
  durationMillis: number;
  /** The beginning of the answer's body. */
  answer: string | null;
  /** Why the attempt failed. */
  error: string | null;
}

/** One event for one webhook. */
const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  indexes: [
    { properties: ['webhookId', 'id'] },
    { properties: ['eventId'] },
    {
      // for the deliveries of a webhook that are due
      name: 'webhook_delivery_due',
      expression: `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "position") where "status" = 'PENDING' and not "held_back"`,
    },
    {
      // for the first delivery of a subject
      name: 'webhook_delivery_first',
      expression: `create index "webhook_delivery_first" on "webhook_delivery" ("webhook_id", "subject", "position") where "status" = 'PENDING'`,
    },
    {
      // for the deliveries of a webhook that may be sent before their time
      name: 'webhook_delivery_waiting',
      expression: `create index "webhook_delivery_waiting" on "webhook_delivery" ("webhook_id", "position") where "status" = 'PENDING' and "earliest_attempt_at" is not null`,
    },
    {
      name: 'webhook_delivery_claimed',
      expression: `create index "webhook_delivery_claimed" on "webhook_delivery" ("webhook_id") where "claim" is not null`,
    },
  ],
  uniques: [{ properties: ['webhookId', 'eventId'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    webhookId: () => p.manyToOne(Webhook).mapToPk().joinColumn('webhook_id').deleteRule('cascade'),
    eventId: p.uuid(),
    type: p.string().length(64),
    subject: p.string().length(128),
    /** The position of the event in the feed. */
    position: p.bigint('number'),
    /** The body of a `webhook.test`, which is in no feed. */
    testEvent: p.json<object>().nullable(),
    status: p.string().length(16).$type<DeliveryStatus>(),
    /** The attempts of the schedule since the delivery was created or replayed. */
    attemptCount: p.integer().default(0),
    /** The early attempts since then that have failed. */
    earlyAttemptCount: p.integer().default(0),
    attempts: p.json<DeliveryAttempt[]>(),
    nextAttemptAt: p.datetime().nullable(),
    /** The next attempt may be brought forward to this time; null if it may not. */
    earliestAttemptAt: p.datetime().nullable(),
    /** If the next attempt is an early one: the time of the attempt of the schedule. */
    scheduledAt: p.datetime().nullable(),
    /**
     * If true, an earlier delivery of its subject is PENDING, and no claim reads this delivery (`subject-order.ts`). It may
     * be false although there is an earlier one; `claimDue` then skips this delivery.
     */
    heldBack: p.boolean().default(false),
    /** The id of the claim for the running attempt; after `claimedUntil` another attempt may begin. */
    claim: p.uuid().nullable(),
    claimedUntil: p.datetime().nullable(),
  },
});

export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);

/** The position of the feed up to which deliveries have been created; one row. */
const WebhookCursorSchema = defineEntity({
  name: 'WebhookCursor',
  tableName: 'webhook_cursor',
  properties: { feed: p.string().length(16).primary(), position: p.bigint('number') },
});

export class WebhookCursor extends WebhookCursorSchema.class {}
WebhookCursorSchema.setClass(WebhookCursor);
