import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { type Claimed } from './claims.ts';
import { bringForward } from './early-attempts.ts';
import { mailDisabledWebhooks } from './mail-disabled-webhooks.ts';
import { MAX_FAILING_MILLIS, nextAttempt, type NextAttempt } from './schedule.ts';
import { needsPlannedRun, planRun } from './send-webhooks.ts';
import type { SendResult } from './send.ts';
import { releaseNext, type OfSubject } from './subject-order.ts';
import type { DeliveryAttempt } from './webhook.entity.ts';
import { uuids } from './uuids.ts';

const MAX_ATTEMPTS_SHOWN = 20;

/** An attempt that has ended. */
export interface Attempted {
  delivery: Claimed;
  result: SendResult;
  at: Date;
  durationMillis: number;
}

export const isReceived = ({ result }: Attempted): boolean => result.error === undefined;

/** SQL: the attempts of a delivery with a new one; only the latest 20 are kept. `attempt` is SQL for the new one. */
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

/** Writes that these deliveries were received, with one statement for all. Then brings other deliveries forward. */
export async function writeReceived(unit: UnitOfWork, received: readonly Attempted[]): Promise<void> {
  if (received.length === 0) return;
  await unit.transaction(async () => {
    // The rows are locked in the order of their ids, as by every statement that locks several of them.
    const ended = await unit.em.execute<OfSubject[]>(
      `with given as (
         select * from jsonb_to_recordset(?::jsonb) as given (delivery_id uuid, of_claim uuid, attempt jsonb)
       ), locked as (
         select id, attempt from webhook_delivery join given on id = delivery_id and claim = of_claim
         where id = any(?::uuid[]) and status = 'PENDING' order by id for no key update of webhook_delivery
       )
       update webhook_delivery set claim = null, claimed_until = null, attempt_count = attempt_count + 1,
         status = 'DELIVERED', next_attempt_at = null, scheduled_at = null, attempts = ${withAttempt('locked.attempt')}
       from locked where webhook_delivery.id = locked.id
       returning webhook_delivery.webhook_id as "webhookId", webhook_delivery.subject`,
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
    await releaseNext(unit, ended);
  });
  // The webhooks are not changed in the transaction above, because a transaction that locks deliveries before their webhooks
  // could deadlock with a deletion. A webhook that has begun to fail after the claim stays failing here; the next delivery
  // that is received ends this state.
  const afterFailures = received.filter((one) => one.delivery.isFailing && isOfFeed(one));
  const recovered = new Set(afterFailures.map(({ delivery }) => delivery.webhookId));
  if (recovered.size > 0)
    await unit.em.execute(
      'update webhook set failing_since = null where id = any(?::uuid[]) and failing_since is not null',
      [uuids(recovered)],
    );
  await bringForward(
    unit,
    received.flatMap(({ delivery }) => (delivery.othersWait ? [delivery.webhookId] : [])),
  );
}

/** Whether the attempt shows how the receiver works. Tests, and deliveries whose event is no longer kept, do not count. */
const isOfFeed = ({ delivery: { isTest, event } }: Attempted): boolean => !isTest && event !== null;

/** Writes an attempt that failed. The delivery gets its next attempt or ends; the webhook may be switched off. */
export async function writeFailure(unit: UnitOfWork, attempted: Attempted): Promise<void> {
  const { delivery, result } = attempted;
  const { id, claim, webhookId } = delivery;
  const isGone = result.statusCode === 410;
  const next = isGone || !isOfFeed(attempted) ? undefined : nextOf(attempted);
  const isEarly = delivery.untilScheduledMillis !== null;
  await unit.transaction(async () => {
    // The webhook is locked before its delivery, as by its deletion; otherwise the two could deadlock.
    await unit.em.execute('select 1 from webhook where id = ? for no key update', [webhookId]);
    const [written] = await unit.em.execute<(OfSubject & { due: number | null })[]>(
      `update webhook_delivery set claim = null, claimed_until = null, attempts = ${withAttempt('?::jsonb')}, status = ?,
         attempt_count = attempt_count + ?, early_attempt_count = early_attempt_count + ?,
         next_attempt_at = now() + ?::float8 * interval '1 millisecond',
         earliest_attempt_at = now() + ?::float8 * interval '1 millisecond', scheduled_at = null
       where id = ? and claim = ? and status = 'PENDING'
       returning ceil(extract(epoch from next_attempt_at))::int as due, webhook_id as "webhookId", subject`,
      [
        JSON.stringify([attemptOf(attempted)]),
        next ? 'PENDING' : 'FAILED',
        isEarly ? 0 : 1,
        isEarly ? 1 : 0,
        next?.pauseMillis ?? null,
        next?.earlyPauseMillis ?? null,
        id,
        claim,
      ],
    );
    // The claim has expired and another replica has the delivery, the event is sent again, or the webhook was deleted.
    if (!written) return;
    if (!next) await releaseNext(unit, [written]);
    if (written.due !== null && next && needsPlannedRun(next.pauseMillis)) await planRun(unit, written.due);
    if (isOfFeed(attempted)) await noteFailure(unit, webhookId, isGone, result.error ?? '');
  });
}

/** When this delivery is sent again after its failed attempt; undefined: never. */
function nextOf({ delivery, result, durationMillis }: Attempted): NextAttempt | undefined {
  const { attemptCount, earlyAttemptCount, untilScheduledMillis } = delivery;
  return untilScheduledMillis === null
    ? nextAttempt({
        ...result,
        attemptCount: attemptCount + 1,
        earlyAttemptCount,
        untilScheduledMillis: undefined,
      })
    : nextAttempt({
        ...result,
        attemptCount,
        earlyAttemptCount: earlyAttemptCount + 1,
        untilScheduledMillis: Math.max(0, untilScheduledMillis - durationMillis),
      });
}

/**
 * Notes that the webhook is failing. Switches it off if its receiver is gone, or if all attempts of 3 days have failed.
 * @param isGone whether the receiver has answered 410
 */
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
       mail_failures = case when ${SWITCHES_OFF} then 0 else mail_failures end,
       version = case when ${SWITCHES_OFF} then version + 1 else version end
     where id = ? and active returning active`,
    [isGone, isGone, reason, isGone, isGone, isGone, webhookId],
  );
  if (webhook?.active === false) await addJob(unit.em, mailDisabledWebhooks, {}, { key: 'due' });
}

const SWITCHES_OFF = `(?::boolean or failing_since <= now() - interval '${MAX_FAILING_MILLIS} milliseconds')`;
