import { Counter, type Metrics } from '#server/observability/metrics.ts';
import type { Mail, Mailer } from './mailer.ts';

/** The maximum number of attempts to send a mail. The last one is 22 h after the first one. */
export const MAIL_ATTEMPTS = 13;

/** Sends mails, and counts them by outcome. */
export class MailDelivery {
  private readonly mailer: Mailer;
  private readonly mails: Counter<'outcome'>;

  constructor(mailer: Mailer, { registry }: Metrics) {
    this.mailer = mailer;
    this.mails = new Counter({
      name: 'mails_total',
      help: 'Mails by outcome: sent, refused by the mail server (each attempt), given up after the last attempt.',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    // An alert sees the first failure only if the counter was 0 before.
    for (const outcome of ['sent', 'refused', 'given_up']) this.mails.inc({ outcome }, 0);
  }

  /**
   * Sends a mail.
   * @param isLastAttempt whether the mail is given up if it cannot be sent now
   * @throws the error of the mail server, so that the job is tried again
   */
  async send(mail: Mail, { isLastAttempt }: { isLastAttempt: boolean }): Promise<void> {
    try {
      await this.mailer.send(mail);
    } catch (error) {
      this.mails.inc({ outcome: 'refused' });
      if (isLastAttempt) this.mails.inc({ outcome: 'given_up' });
      throw error;
    }
    this.mails.inc({ outcome: 'sent' });
  }

  close(): void {
    this.mailer.close();
  }
}
