import { z } from 'zod';
import { addJob } from '#server/jobs/add-job.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { releaseForgotten } from './subject-order.ts';
import { WAITING_WEBHOOKS } from './waiting-webhooks.ts';
import type { WebhookSending } from './webhooks.ts';

/**
 * Runs are planned for deliveries that are due within this time. It is more than a minute, because a scheduled run may
 * begin late.
 */
const PLANNED_SECONDS = 70;

/**
 * Wakes the dispatcher, so that it sends what is due: at each start, every minute, and at the times that earlier runs and
 * failed attempts have planned. So the deliveries of a killed process are sent, even if the dispatchers' own loops have
 * failed.
 */
export const sendWebhooks: Job<Record<string, never>, { webhooks: Pick<WebhookSending, 'wake'> }> = jobOf<{
  webhooks: Pick<WebhookSending, 'wake'>;
}>()({
  name: 'send_webhooks',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit, resources: { webhooks } }) {
    await releaseForgotten(unit);
    webhooks.wake();
    for (const at of await nextDue(unit)) await planRun(unit, at);
  },
});

/**
 * Adds a run at this time. There is one run for all deliveries of a second, so that a receiver that refuses 200 events a
 * second causes one run and not 200.
 * @param at seconds since 1970, by the clock of the database
 */
export async function planRun(unit: UnitOfWork, at: number): Promise<void> {
  await addJob(unit.em, sendWebhooks, {}, { runAt: new Date(at * 1_000), key: String(at) });
}

/** Whether `planRun` is needed for a delivery that is due after this pause. */
export const needsPlannedRun = (pauseMillis: number): boolean => pauseMillis <= PLANNED_SECONDS * 1_000;

/**
 * The seconds since 1970, within the next `PLANNED_SECONDS`, in which deliveries are due or claims expire. A claim expires
 * if its process was killed.
 */
async function nextDue(unit: UnitOfWork): Promise<number[]> {
  const until = `now() + interval '${PLANNED_SECONDS} seconds'`;
  const rows = await unit.em.execute<{ at: number }[]>(
    `with recursive waiting as (${WAITING_WEBHOOKS})
     select ceil(extract(epoch from due))::int as at from waiting cross join lateral (
       select next_attempt_at as due from webhook_delivery
       where webhook_id = waiting.id and status = 'PENDING' and not held_back and next_attempt_at > now() and next_attempt_at <= ${until}
       union all
       select claimed_until from webhook_delivery where webhook_id = waiting.id and claim is not null and claimed_until <= ${until}
     ) as coming where due > now() group by 1`,
  );
  return rows.map(({ at }) => at);
}
