import type { ServiceCalls } from '#server/service-calls.ts';
import { NO_ORIGIN, type UnitOfWork } from '#server/unit-of-work.ts';

/** The pause after a mail that could not be sent. */
const RETRY_SECONDS = 60;

/** Mails about webhooks that were switched off. Identity sends them to the staff of the gym, whose addresses it knows. */
export class DisabledMails {
  private readonly identity: ServiceCalls;

  constructor(identity: ServiceCalls) {
    this.identity = identity;
  }

  /** Sends the mails that are due. A mail that cannot be sent is due again after a minute. */
  async send(unit: UnitOfWork): Promise<void> {
    const due = await unit.em.execute<DisabledWebhook[]>(
      `update webhook set mail_due_at = now() + interval '${RETRY_SECONDS} seconds'
       where id = any(array(select id from webhook where mail_due_at <= now() limit 20 for update skip locked))
       returning id, gym_id as "gymId", url, version, disabled_reason as reason`,
    );
    for (const webhook of due) {
      const isSent = await this.sendOne(webhook).then(
        () => true,
        (error: unknown) => {
          unit.log.warn(
            { err: error, webhookId: webhook.id },
            'a mail about a webhook could not be sent; it is tried again',
          );
          return false;
        },
      );
      if (isSent) await unit.em.execute('update webhook set mail_due_at = null where id = ?', [webhook.id]);
    }
  }

  private async sendOne({ id, gymId, url, version, reason }: DisabledWebhook): Promise<void> {
    await this.identity.call({
      method: 'POST',
      path: '/staff-mails',
      body: {
        gymId,
        subject: 'A webhook has been switched off',
        text: `Events are no longer sent to ${url}\n\n${reason ?? ''}\n\nRepair the receiver, and switch the webhook ${id} on again (active: true).\n`,
      },
      as: 'service',
      origin: NO_ORIGIN,
      idempotencyKey: `webhook-${id}-${version}`,
    });
  }
}

interface DisabledWebhook {
  id: string;
  gymId: string | null;
  url: string;
  version: number;
  reason: string | null;
}
