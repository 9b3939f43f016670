import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import { NO_ORIGIN, type UnitOfWork } from '#server/unit-of-work.ts';

/** The most webhooks of one run; the others are left for the next run. */
const MAX_MAILS = 100;

/** After this time the platform no longer tries to have a mail sent. `disabledReason` of the webhook still says what happened. */
const GIVEN_UP_AFTER = '3 days';

/**
 * Has mails sent about webhooks that the platform has switched off; `webhook.mail_due_at` is set until identity has stored the
 * mail, or the mail is given up. Identity sends it to the staff of the gym, because it stores their addresses. The idempotency
 * key contains the time of the switching off, so identity stores one mail for it, even if an answer is lost or the webhook is
 * changed.
 */
export const mailDisabledWebhooks = jobOf<{ identity: ServiceCalls }>()({
  name: 'mail_disabled_webhooks',
  payload: z.object({}),
  maxAttempts: 9, // within 80 min; the hourly runs also try to store the mails
  schedule: 'hour',
  async run(_payload, { unit, resources: { identity } }) {
    // Mails that have failed come last: otherwise 100 mails that always fail would keep all others back.
    const due = await unit.em.execute<DisabledWebhook[]>(
      `select id, gym_id as "gymId", url, mail_due_at::text as "dueAt", disabled_reason as reason from webhook
       where mail_due_at is not null order by mail_failures, mail_due_at limit ${MAX_MAILS}`,
    );
    const failures: unknown[] = [];
    for (const webhook of due)
      try {
        await storeMail(identity, webhook);
        await unit.em.execute(
          'update webhook set mail_due_at = null where id = ? and mail_due_at = ?::timestamptz',
          [webhook.id, webhook.dueAt],
        );
      } catch (error) {
        failures.push(error); // the mails about other webhooks are stored in any case
        await noteFailure(unit, webhook, error);
      }
    if (failures.length > 0) throw failures[0];
  },
});

interface DisabledWebhook {
  id: string;
  gymId: string | null;
  url: string;
  /** When the webhook was switched off, as PostgreSQL's text with microseconds. */
  dueAt: string;
  reason: string | null;
}

/** Moves the mail behind those that have failed less often, or gives it up. */
async function noteFailure(unit: UnitOfWork, { id, dueAt }: DisabledWebhook, error: unknown): Promise<void> {
  const [written] = await unit.em.execute<{ isGivenUp: boolean }[]>(
    `update webhook set mail_failures = mail_failures + 1,
       mail_due_at = case when mail_due_at > now() - interval '${GIVEN_UP_AFTER}' then mail_due_at end
     where id = ? and mail_due_at = ?::timestamptz returning mail_due_at is null as "isGivenUp"`,
    [id, dueAt],
  );
  if (written?.isGivenUp)
    unit.log.error(
      { err: error, webhookId: id },
      'the mail about a webhook that was switched off is given up',
    );
}

async function storeMail(
  identity: ServiceCalls,
  { id, gymId, url, dueAt, reason }: DisabledWebhook,
): Promise<void> {
  try {
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
  } catch (error) {
    // Identity has stored the mail with another text, because the URL of the webhook was changed after an answer that was lost.
    if (error instanceof PlatformError && error.code === 'IDEMPOTENCY_KEY_REUSED') return;
    throw error;
  }
}
