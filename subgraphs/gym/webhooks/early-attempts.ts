import type { UnitOfWork } from '#server/unit-of-work.ts';
import { needsPlannedRun, planRun } from './send-webhooks.ts';

/**
 * How many deliveries are brought forward for each delivery that is received. So after an outage, the number of early
 * attempts doubles from round to round. If the receiver fails again, no more are brought forward.
 */
const FOR_EACH_RECEIVED = 2;

/**
 * Lets the next attempts of deliveries that wait after a failure begin now, or as soon as their early pauses are over. By
 * the schedule, a receiver that works again could wait hours for these deliveries.
 * @param webhookIds the webhook of each delivery that was received; an id may occur several times
 */
export async function bringForward(unit: UnitOfWork, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  const received = [...Map.groupBy(webhookIds, (id) => id)].map(([id, { length }]) => ({
    id,
    count: length,
  }));
  // Rows that another transaction has locked are about to be sent or written by that transaction. They are skipped, because
  // two replicas could otherwise wait for each other.
  const moved = await unit.em.execute<{ dueInMillis: number; dueAt: number }[]>(
    `with waiting as (
       select first.id from jsonb_to_recordset(?::jsonb) as received (id uuid, count int) cross join lateral (
         select delivery.id from webhook_delivery as delivery
         where delivery.webhook_id = received.id and delivery.status = 'PENDING' and delivery.earliest_attempt_at is not null
         order by delivery.position limit ${FOR_EACH_RECEIVED} * received.count for no key update skip locked) as first
     )
     update webhook_delivery set scheduled_at = next_attempt_at, earliest_attempt_at = null,
       next_attempt_at = least(next_attempt_at, greatest(now(), earliest_attempt_at))
     where id in (select id from waiting)
     returning extract(epoch from next_attempt_at - now())::float8 * 1000 as "dueInMillis",
       ceil(extract(epoch from next_attempt_at))::int as "dueAt"`,
    [JSON.stringify(received)],
  );
  const later = moved.filter(({ dueInMillis }) => dueInMillis > 0 && needsPlannedRun(dueInMillis));
  for (const at of new Set(later.map(({ dueAt }) => dueAt).toSorted((a, b) => a - b)))
    await planRun(unit, at);
}
