import { randomUUID } from 'node:crypto';
import { columnsOf } from '#server/database/columns.ts';
import { EventShape } from '#server/events/events.shapes.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { sendWebhooks } from './send-webhooks.ts';
import { WAITING_WEBHOOKS } from './waiting-webhooks.ts';
import { uuids } from './uuids.ts';

/** The maximum number of deliveries that are sent to one webhook at the same time, by all replicas together. */
const MAX_OF_WEBHOOK = 16;
/**
 * The maximum for a webhook whose last attempt has failed, because most attempts of such a webhook only wait for a time-out.
 */
const MAX_OF_FAILING_WEBHOOK = 1;
/**
 * The number of places that are kept for webhooks without a running attempt. Otherwise 20 webhooks whose receivers answer
 * slowly could take all places, and the other webhooks would wait until these receivers have answered.
 */
const FIRST_PLACES = 64;
/**
 * If a claim is not renewed within this time, for example because the process was killed, another replica sends the
 * delivery.
 */
const CLAIM_SECONDS = 8;
/** How often the claims of running attempts are renewed. */
export const RENEW_MILLIS = 2_000; // 2 s

/** A delivery that this replica sends. */
export interface Claimed {
  id: string;
  /** The id of the claim. If the delivery has another one meanwhile, or none, this replica does not write its result. */
  claim: string;
  webhookId: string;
  url: string;
  secrets: string[];
  /** Whether the last attempt for this webhook has failed. */
  isFailing: boolean;
  /** The number of attempts of the schedule that have failed. */
  attemptCount: number;
  /** The number of early attempts that have failed. */
  earlyAttemptCount: number;
  /** If this is an early attempt: the time until the attempt of the schedule. */
  untilScheduledMillis: number | null;
  /** Whether other deliveries of the webhook may be brought forward if this one is received. */
  othersWait: boolean;
  isTest: boolean;
  /** Null if the event is no longer kept. */
  event: EventShape | null;
  /** The trace context of the event, if its request was sampled. */
  traceparent: string | null;
}

/** How many deliveries may be claimed. */
export interface FreePlaces {
  /** For webhooks whose last attempt has not failed. */
  working: number;
  /** For webhooks whose last attempt has failed. */
  failing: number;
}

const EVENT = columnsOf(EventShape, {
  id: 'event.id',
  type: 'event.type',
  gymId: 'event.gym_id',
  subject: 'event.subject',
  occurredAt: 'event.occurred_at',
  data: 'event.data',
});

/**
 * SQL: the number of attempts that are running for `webhook`: those with a claim, in all replicas, or those of this process, if
 * they are more, because a replay takes the claim from a running attempt. The parameter has the latter, by webhook, as JSON.
 */
const RUNNING = `
  select greatest(coalesce((?::jsonb ->> webhook.id::text)::int, 0), (
    select count(*) from webhook_delivery as running
    where running.webhook_id = webhook.id and running.claim is not null and running.claimed_until > now())) as count`;

/** SQL: the deliveries of `webhook` that are due, each the first one of its subject, and their order in `turn`. */
const DUE = `
  select delivery.id, delivery.next_attempt_at,
    row_number() over (order by delivery.next_attempt_at, delivery.position) as turn
  from webhook_delivery as delivery
  where delivery.webhook_id = webhook.id and delivery.status = 'PENDING' and not delivery.held_back
    and delivery.next_attempt_at <= now()
    and (delivery.claim is null or delivery.claimed_until < now())
    and (webhook.active or delivery.test_event is not null)
    and delivery.position = (
      select first.position from webhook_delivery as first
      where first.webhook_id = delivery.webhook_id and first.subject = delivery.subject and first.status = 'PENDING'
      order by first.position limit 1)
  order by delivery.next_attempt_at, delivery.position
  limit greatest(0, case when webhook.failing_since is null then ${MAX_OF_WEBHOOK} else ${MAX_OF_FAILING_WEBHOOK} end - busy.count)`;

/**
 * Claims deliveries that are due. Of each subject of a webhook, only the first delivery is sent, so that the events of a
 * subject arrive in their order. A delivery that fails holds back only later deliveries of its own subject. If there are
 * more deliveries than places, webhooks with fewer running attempts come first.
 *
 * PostgreSQL plans the statement at each execution (by `execute`; `run` would prepare it). A stored plan that was made while
 * the table was nearly empty would read the whole table, and could be used for a minute or longer while many deliveries wait
 * for a receiver that hangs.
 */
export async function claimDue(
  unit: UnitOfWork,
  free: FreePlaces,
  running: ReadonlyMap<string, number>,
): Promise<Claimed[]> {
  const rows = await unit.em.execute<ClaimedRow[]>(
    `with recursive waiting as (${WAITING_WEBHOOKS}), candidate as (
       select due.id, webhook.failing_since is not null as failing, busy.count + due.turn as turn,
         row_number() over (
           partition by webhook.failing_since is not null order by busy.count + due.turn, due.next_attempt_at) as place
       from waiting join webhook using (id) cross join lateral (${RUNNING}) as busy cross join lateral (${DUE}) as due
     ), due as (
       select id from candidate
       where place <= case when failing then ?::int else ?::int - case when turn > 1 then ${FIRST_PLACES} else 0 end end
     ), claimed as (
       update webhook_delivery set claim = ?::uuid, claimed_until = now() + interval '${CLAIM_SECONDS} seconds',
         earliest_attempt_at = null
       where id = any(array(
         select id from webhook_delivery where id in (select id from due) and status = 'PENDING'
           and (claim is null or claimed_until < now())
         order by id for no key update))
       returning id, claim, webhook_id, event_id, attempt_count, early_attempt_count, scheduled_at, test_event
     )
     select claimed.id as "deliveryId", claimed.claim, webhook.id as "webhookId", webhook.url,
       case when webhook.previous_until > now() then array[webhook.secret, webhook.previous_secret]
         else array[webhook.secret] end as secrets,
       webhook.failing_since is not null as "isFailing",
       claimed.attempt_count as "attemptCount", claimed.early_attempt_count as "earlyAttemptCount",
       case when claimed.scheduled_at > now() then extract(epoch from claimed.scheduled_at - now())::float8 * 1000 end
         as "untilScheduledMillis",
       exists (select 1 from webhook_delivery as other where other.webhook_id = webhook.id and other.status = 'PENDING'
         and other.earliest_attempt_at is not null and other.id <> claimed.id) as "othersWait",
       claimed.test_event as "testEvent", event.traceparent, ${EVENT}
     from claimed join webhook on webhook.id = claimed.webhook_id left join event on event.id = claimed.event_id`,
    [JSON.stringify(Object.fromEntries(running)), free.failing, free.working, randomUUID()],
  );
  return rows.map(toClaimed);
}

type ClaimedRow = Omit<Claimed, 'id' | 'event' | 'isTest'> & {
  deliveryId: string;
  testEvent: EventShape | null;
} & { [Field in keyof EventShape]: EventShape[Field] | null };

const toClaimed = (row: ClaimedRow): Claimed => {
  const { deliveryId, testEvent, id, type, gymId, subject, occurredAt, data, ...claimed } = row;
  const kept = id === null ? null : ({ id, type, gymId, subject, occurredAt, data } as EventShape);
  return { ...claimed, id: deliveryId, isTest: testEvent !== null, event: testEvent ?? kept };
};

/** Keeps claims for another 8 s. */
export async function renew(unit: UnitOfWork, deliveries: readonly Claimed[]): Promise<void> {
  await unit.em.execute(
    `update webhook_delivery set claimed_until = now() + interval '${CLAIM_SECONDS} seconds'
     where id = any(array(
       select id from webhook_delivery where id = any(?::uuid[]) and claim = any(?::uuid[]) order by id for no key update
     ))`,
    [uuids(deliveries.map(({ id }) => id)), uuids(deliveries.map(({ claim }) => claim))],
  );
}

/**
 * Releases deliveries whose attempts were aborted by the stop of this process; another replica, or the next start, sends
 * them.
 */
export async function release(unit: UnitOfWork, deliveries: readonly Claimed[]): Promise<void> {
  await unit.transaction(async () => {
    for (const { id, claim } of deliveries)
      await unit.em.execute(
        'update webhook_delivery set claim = null, claimed_until = null where id = ? and claim = ?',
        [id, claim],
      );
    await addJob(unit.em, sendWebhooks, {}, { key: 'released' });
  });
}
