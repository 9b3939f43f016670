import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';

/** The most webhooks of one run; the others are left for the next run. */
const MAX_MAILS = 100;

/**
 * Has mails sent about webhooks that the platform has switched off; `webhook.mail_due_at` is set until identity has stored the
 * mail. Identity sends it to the staff of the gym, because it stores their addresses. The idempotency key is the same for one
 * switching off, so identity stores the mail once, even if its answer is lost.
 */
export const mailDisabledWebhooks = jobOf<{ identity: ServiceCalls }>()({
  name: 'mail_disabled_webhooks',
  payload: z.object({}),
  maxAttempts: 9, // within 80 min; meanwhile the hourly runs try it, too
  schedule: 'hour',
  async run(_payload, { unit, resources: { identity } }) {
    const due = await unit.em.execute<DisabledWebhook[]>(
      `select id, gym_id as "gymId", url, mail_due_at::text as "dueAt", disabled_reason as reason from webhook
       where mail_due_at is not null order by mail_due_at limit ${MAX_MAILS}`,
    );
    const failures: unknown[] = [];
    for (const webhook of due)
      try {
        await sendMail(identity, webhook);
        await unit.em.execute(
          'update webhook set mail_due_at = null where id = ? and mail_due_at = ?::timestamptz',
          [webhook.id, webhook.dueAt],
        );
      } catch (error) {
        failures.push(error); // the mails about other webhooks are sent in any case
      }
    if (failures.length > 0) throw failures[0];
  },
});

interface DisabledWebhook {
  id: string;
  gymId: string | null;
  url: string;
  /** When it was switched off, with microseconds. */
  dueAt: string;
  reason: string | null;
}

async function sendMail(
  identity: ServiceCalls,
  { id, gymId, url, dueAt, reason }: DisabledWebhook,
): Promise<void> {
  await identity.call({
    method: 'POST',
    path: '/staff-mails',
    body: {
      gymId,
      subject: 'A webhook has been switched off',
      text: `Events are no longer sent to ${url}\n\n${reason ?? ''}\n\nRepair the receiver, and switch the webhook ${id} on again (active: true).\n`,
    },
    as: 'service',
    origin: NO_ORIGIN,
    idempotencyKey: `webhook-${id}-${dueAt.replaceAll(/\D/g, '')}`,
  });
}
