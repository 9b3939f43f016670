import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuids, type Claimed } from './claims.ts';
import { mailDisabledWebhooks } from './mail-disabled-webhooks.ts';
import { MAX_FAILING_MILLIS, pauseAfter } from './schedule.ts';
import { isBeforeScheduledRun, planRun } from './send-webhooks.ts';
import type { SendResult } from './send.ts';
import type { DeliveryAttempt } from './webhook.entity.ts';

const MAX_ATTEMPTS_SHOWN = 20;

/** An attempt that has ended. */
export interface Attempted {
  delivery: Claimed;
  result: SendResult;
  at: Date;
  durationMillis: number;
}

export const isReceived = ({ result }: Attempted): boolean => result.error === undefined;

/** SQL: the last attempts of a delivery. */
const withAttempt = (attempt: string): string => `(
  select jsonb_agg(one order by number) from (
    select one, number from jsonb_array_elements(attempts || ${attempt}) with ordinality as all_attempts (one, number)
    order by number desc limit ${MAX_ATTEMPTS_SHOWN}) as latest)`;

const attemptOf = ({ at, durationMillis, result }: Attempted): DeliveryAttempt => ({
  at: at.toISOString(),
  statusCode: result.statusCode,
  durationMillis,
  answer: result.answer,
  error: result.error ?? null,
});

/** Writes that these deliveries were received, all of them at once. */
export async function writeReceived(unit: UnitOfWork, received: readonly Attempted[]): Promise<void> {
  if (received.length === 0) return;
  // The rows are locked in the order of their ids, as by every statement that locks several of them.
  await unit.em.execute(
    `with given as (
       select * from jsonb_to_recordset(?::jsonb) as given (delivery_id uuid, of_claim uuid, attempt jsonb)
     ), locked as (
       select id, attempt from webhook_delivery join given on id = delivery_id and claim = of_claim
       where id = any(?::uuid[]) and status = 'PENDING' order by id for no key update of webhook_delivery
     )
     update webhook_delivery set claim = null, claimed_until = null, attempt_count = attempt_count + 1,
       status = 'DELIVERED', next_attempt_at = null, attempts = ${withAttempt('locked.attempt')}
     from locked where webhook_delivery.id = locked.id`,
    [
      JSON.stringify(
        received.map((one) => ({
          delivery_id: one.delivery.id,
          of_claim: one.delivery.claim,
          attempt: attemptOf(one),
        })),
      ),
      uuids(received.map(({ delivery }) => delivery.id)),
    ],
  );
  // A statement of its own: one that locks deliveries before their webhooks could deadlock with a deletion. If the webhook
  // has begun to fail since the claim, the next delivery that is received ends that.
  const failing = received.filter((one) => one.delivery.isFailing && isOfFeed(one));
  const working = new Set(failing.map(({ delivery }) => delivery.webhookId));
  if (working.size > 0)
    await unit.em.execute(
      'update webhook set failing_since = null where id = any(?::uuid[]) and failing_since is not null',
      [uuids(working)],
    );
}

/** A test says nothing about whether the events of the feed are received. */
const isOfFeed = ({ delivery: { isTest, event } }: Attempted): boolean => !isTest && event !== null;

/** Writes an attempt that failed: the delivery's next attempt or its end, and whether the webhook is switched off. */
export async function writeFailure(unit: UnitOfWork, attempted: Attempted): Promise<void> {
  const { delivery, result } = attempted;
  const { id, claim, webhookId, attemptCount } = delivery;
  const isGone = result.statusCode === 410;
  const pause =
    isGone || !isOfFeed(attempted) ? undefined : pauseAfter(attemptCount + 1, result.retryAfterMillis);
  await unit.transaction(async () => {
    // The webhook is locked before its delivery, as by its deletion; otherwise the two could deadlock.
    await unit.em.execute('select 1 from webhook where id = ? for no key update', [webhookId]);
    const [written] = await unit.em.execute<{ due: number | null }[]>(
      `update webhook_delivery set claim = null, claimed_until = null, attempt_count = attempt_count + 1,
         attempts = ${withAttempt('?::jsonb')}, status = ?, next_attempt_at = now() + ?::float8 * interval '1 millisecond'
       where id = ? and claim = ? and status = 'PENDING'
       returning ceil(extract(epoch from next_attempt_at))::int as due`,
      [
        JSON.stringify([attemptOf(attempted)]),
        pause === undefined ? 'FAILED' : 'PENDING',
        pause ?? null,
        id,
        claim,
      ],
    );
    if (!written) return; // the claim had expired, or the event is sent again already
    if (written.due !== null && pause !== undefined && isBeforeScheduledRun(pause))
      await planRun(unit, written.due);
    if (isOfFeed(attempted)) await noteFailure(unit, webhookId, isGone, result.error ?? '');
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
  const [webhook] = await unit.em.execute<{ active: boolean }[]>(
    `update webhook set
       failing_since = coalesce(failing_since, now()),
       active = case when ${SWITCHES_OFF} then false else active end,
       disabled_reason = case when ${SWITCHES_OFF} then ? else disabled_reason end,
       mail_due_at = case when ${SWITCHES_OFF} then now() else mail_due_at end,
       version = case when ${SWITCHES_OFF} then version + 1 else version end
     where id = ? and active returning active`,
    [isGone, isGone, reason, isGone, isGone, webhookId],
  );
  if (webhook?.active === false) await addJob(unit.em, mailDisabledWebhooks, {}, { key: 'due' });
}

const SWITCHES_OFF = `(?::boolean or failing_since <= now() - interval '${MAX_FAILING_MILLIS} milliseconds')`;
