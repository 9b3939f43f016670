import { randomUUID } from 'node:crypto';
import { columnsOf } from '#server/database/columns.ts';
import { EventShape } from '#server/events/events.shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { SendResult } from './send.ts';
import { MAX_FAILING_MILLIS, pauseAfter } from './schedule.ts';
import type { DeliveryAttempt } from './webhook.entity.ts';

/** The maximum number of deliveries that are sent to one webhook at the same time, by all replicas together. */
export const MAX_OF_WEBHOOK = 4;
/** Another replica sends a delivery again if the result is not written within this time. It is longer than an attempt. */
const CLAIM_SECONDS = 20;
const MAX_ATTEMPTS_SHOWN = 20;

/** A delivery that this replica sends. */
export interface Claimed {
  id: string;
  claim: string;
  webhookId: string;
  url: string;
  secrets: string[];
  attemptCount: number;
  isTest: boolean;
  /** Null if the event is no longer kept. */
  event: EventShape | null;
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
 * Claims deliveries that are due, at most `limit`. Of each subject of a webhook only the first delivery is sent, so that its
 * events arrive in their order; a delivery that fails delays the other subjects of the webhook not at all.
 */
export async function claimDue(unit: UnitOfWork, limit: number): Promise<Claimed[]> {
  const rows = await unit.em.execute<
    (Omit<Claimed, 'event'> & { testEvent: EventShape | null } & EventShape)[]
  >(
    `with due as (
       select first.id from webhook cross join lateral (
         select delivery.id from webhook_delivery as delivery
         where delivery.webhook_id = webhook.id and delivery.status = 'PENDING' and delivery.next_attempt_at <= now()
           and (delivery.claim is null or delivery.claimed_until < now())
           and (webhook.active or delivery.test_event is not null)
           and not exists (
             select 1 from webhook_delivery as earlier
             where earlier.webhook_id = delivery.webhook_id and earlier.subject = delivery.subject
               and earlier.status = 'PENDING' and earlier.position < delivery.position)
         order by delivery.next_attempt_at, delivery.position
         limit greatest(0, ${MAX_OF_WEBHOOK} - (
           select count(*) from webhook_delivery as running
           where running.webhook_id = webhook.id and running.claim is not null and running.claimed_until > now()))
       ) as first limit ?
     ), claimed as (
       update webhook_delivery set claim = ?, claimed_until = now() + interval '${CLAIM_SECONDS} seconds'
       where id in (select id from due) and status = 'PENDING' and (claim is null or claimed_until < now())
       returning id, claim, webhook_id, event_id, attempt_count, test_event
     )
     select claimed.id as "deliveryId", claimed.claim, webhook.id as "webhookId", webhook.url,
       case when webhook.previous_until > now() then array[webhook.secret, webhook.previous_secret]
         else array[webhook.secret] end as secrets,
       claimed.attempt_count as "attemptCount", claimed.test_event as "testEvent", ${EVENT}
     from claimed join webhook on webhook.id = claimed.webhook_id left join event on event.id = claimed.event_id`,
    [limit, randomUUID()],
  );
  // The cast: the statement selects the columns of ClaimedRow.
  return (rows as unknown as ClaimedRow[]).map(toClaimed);
}

type ClaimedRow = Omit<Claimed, 'id' | 'event' | 'isTest'> & {
  deliveryId: string;
  testEvent: EventShape | null;
} & { [Field in keyof EventShape]: EventShape[Field] | null };

const toClaimed = (row: ClaimedRow): Claimed => {
  const { deliveryId, claim, webhookId, url, secrets, attemptCount, testEvent, ...event } = row;
  const kept = event.id === null ? null : (event as EventShape);
  return {
    id: deliveryId,
    claim,
    webhookId,
    url,
    secrets,
    attemptCount,
    isTest: testEvent !== null,
    event: testEvent ?? kept,
  };
};

/** Releases a delivery whose attempt was ended by the stop of this process. */
export async function release(unit: UnitOfWork, { id, claim }: Claimed): Promise<void> {
  await unit.em.execute(
    'update webhook_delivery set claim = null, claimed_until = null where id = ? and claim = ?',
    [id, claim],
  );
}

/** Writes the result of an attempt: the delivery's next attempt or its end, and whether the webhook is switched off. */
export async function writeResult(
  unit: UnitOfWork,
  delivery: Claimed,
  { at, durationMillis, ...result }: SendResult & { at: Date; durationMillis: number },
): Promise<void> {
  const { id, claim, webhookId, attemptCount, isTest } = delivery;
  const attempt: DeliveryAttempt = {
    at: at.toISOString(),
    statusCode: result.statusCode,
    durationMillis,
    answer: result.answer,
    error: result.error ?? null,
  };
  const isReceived = result.error === undefined;
  const isGone = result.statusCode === 410;
  const pause =
    isReceived || isGone || isTest || !delivery.event
      ? undefined
      : pauseAfter(attemptCount + 1, result.retryAfterMillis);
  await unit.transaction(async () => {
    // The webhook is locked before its delivery, as by its deletion; otherwise the two could deadlock.
    await unit.em.execute('select 1 from webhook where id = ? for no key update', [webhookId]);
    const written = await unit.em.execute<unknown[]>(
      `update webhook_delivery set claim = null, claimed_until = null, attempt_count = attempt_count + 1,
         attempts = (select jsonb_agg(one order by number) from (
           select one, number from jsonb_array_elements(attempts || ?::jsonb) with ordinality as all_attempts (one, number)
           order by number desc limit ${MAX_ATTEMPTS_SHOWN}) as latest),
         status = ?, next_attempt_at = ${pause === undefined ? 'null' : "now() + ? * interval '1 millisecond'"}
       where id = ? and claim = ? and status = 'PENDING' returning 1`,
      [
        JSON.stringify([attempt]),
        isReceived ? 'DELIVERED' : pause === undefined ? 'FAILED' : 'PENDING',
        ...(pause === undefined ? [] : [pause]),
        id,
        claim,
      ],
    );
    if (written.length === 0 || isTest || !delivery.event) return;
    if (isReceived)
      await unit.em.execute(
        'update webhook set failing_since = null where id = ? and failing_since is not null',
        [webhookId],
      );
    else await noteFailure(unit, webhookId, isGone, result.error ?? '');
  });
}

/** Switches the webhook off if its receiver is gone, or if all attempts of 3 days have failed. */
async function noteFailure(
  unit: UnitOfWork,
  webhookId: string,
  isGone: boolean,
  error: string,
): Promise<void> {
  const reason = isGone
    ? 'The receiver answered 410: it wants no more events.'
    : `All attempts of 3 days have failed. The last error: ${error}`;
  await unit.em.execute(
    `update webhook set
       failing_since = coalesce(failing_since, now()),
       active = case when ${SWITCHES_OFF} then false else active end,
       disabled_reason = case when ${SWITCHES_OFF} then ? else disabled_reason end,
       mail_due_at = case when ${SWITCHES_OFF} then now() else mail_due_at end,
       version = case when ${SWITCHES_OFF} then version + 1 else version end
     where id = ? and active`,
    [isGone, isGone, reason, isGone, isGone, webhookId],
  );
}

const SWITCHES_OFF = `(?::boolean or failing_since <= now() - interval '${MAX_FAILING_MILLIS} milliseconds')`;
