import { randomBytes } from 'node:crypto';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { hashOf } from '../sessions/secrets.ts';
import type { Mailer } from '../mail/mailer.ts';
import { PasswordReset, ResetPurpose } from './password-reset.entity.ts';

const CLAIM_MILLIS = 60_000; // 1 min, longer than the time limits of the mail server
const LIFETIME_MILLIS = { RESET: HOUR_MILLIS, INVITATION: 7 * DAY_MILLIS } as const;
const MAX_MAILS_PER_HOUR = 5; // to one user
const POLL_MILLIS = 10_000; // 10 s, for mails that another replica left or a mail server refused
const GIVE_UP_MILLIS = DAY_MILLIS;

interface ResetMailerOptions {
  orm: MikroORM;
  mailer: Mailer;
  /** The URL in the mail; `{token}` in it is replaced by the token. If it is absent, the mail contains only the token. */
  resetUrl: string | undefined;
  metrics: Metrics;
  log: Logger;
}

/** Sends the requested mails, independently of requests, so that the duration of a request does not reveal whether an address exists. */
export class ResetMailer {
  private readonly options: ResetMailerOptions;
  private readonly mails: Counter<'outcome'>;
  private readonly timer: NodeJS.Timeout;
  private working: Promise<void> | undefined;
  private again = false;

  constructor(options: ResetMailerOptions) {
    this.options = options;
    this.mails = new Counter({
      name: 'mails_total',
      help: 'Mails by outcome: sent, refused by the mail server (each attempt), given up after a day.',
      labelNames: ['outcome'] as const,
      registers: [options.metrics.registry],
    });
    this.timer = setInterval(() => this.wake(), POLL_MILLIS);
    this.timer.unref();
  }

  /** Starts sending. Call it when there is a mail to send. */
  wake(): void {
    this.again = true;
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  /** Stops after the current mail. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.again = false;
    await this.working;
    this.options.mailer.close();
  }

  private async work(): Promise<void> {
    while (this.again) {
      this.again = false;
      try {
        while (await this.sendNext());
      } catch (error) {
        this.options.log.warn(
          { err: error },
          'mails about passwords could not be sent; they are tried again',
        );
      }
    }
  }

  /** Sends the next mail that is due; returns false if there was none. */
  private async sendNext(): Promise<boolean> {
    const { orm, mailer, resetUrl, log } = this.options;
    const claimed = await orm.em.fork().transactional((em) => this.claim(em));
    if (claimed === 'none') return false;
    if (claimed === 'given up') {
      this.mails.inc({ outcome: 'given_up' });
      log.error('a mail was given up after a day of attempts; the log has the reason of each');
    }
    if (claimed === 'dropped' || claimed === 'given up') return true;
    const { id, purpose, to, token, attempts } = claimed;
    const store = (change: Partial<PasswordReset>) =>
      orm.em.fork().nativeUpdate(PasswordReset, { id }, change);
    try {
      await mailer.send({ to, ...textOf(purpose, token, resetUrl) });
    } catch (error) {
      this.mails.inc({ outcome: 'refused' });
      log.warn({ err: error, attempts: attempts + 1 }, 'the mail server refused a mail');
      const pause = Math.min(10_000 * 2 ** attempts, 600_000); // at most 10 min
      await store({ attempts: attempts + 1, nextAttemptAt: new Date(Date.now() + pause) });
      return true;
    }
    this.mails.inc({ outcome: 'sent' });
    await store({ sentAt: new Date() });
    return true;
  }

  /**
   * Claims the next mail for a minute and stores its token, so that the token is valid before the mail can arrive, and no
   * database connection is occupied while the mail server answers. After a crash in between, another mail with a new token
   * is sent.
   */
  private async claim(em: EntityManager): Promise<Claimed | 'dropped' | 'given up' | 'none'> {
    const [next] = await em.execute<{ id: string }[]>(
      'select id from password_reset where sent_at is null and next_attempt_at <= now() order by next_attempt_at limit 1 for update skip locked',
    );
    if (!next) return 'none';
    const reset = await em.findOneOrFail(PasswordReset, { id: next.id });
    const [user] = await em.execute<{ id: string; email: string }[]>(
      // The lock keeps the account from being deleted before the token is stored.
      'select id, email from user_account where lower(email) = lower(?) for key share',
      [reset.email],
    );
    const now = Date.now();
    const mailed = user
      ? await em.count(PasswordReset, { userId: user.id, sentAt: { $gt: new Date(now - HOUR_MILLIS) } })
      : 0;
    const isTooLate = now - reset.requestedAt.getTime() > GIVE_UP_MILLIS;
    if (!user || mailed >= MAX_MAILS_PER_HOUR || isTooLate) {
      em.remove(reset);
      return user && isTooLate ? 'given up' : 'dropped';
    }
    const token = randomBytes(32).toString('base64url');
    reset.userId = user.id;
    reset.tokenHash = hashOf(token);
    reset.expiresAt = new Date(now + LIFETIME_MILLIS[reset.purpose]);
    reset.nextAttemptAt = new Date(now + CLAIM_MILLIS);
    return { id: reset.id, purpose: reset.purpose, to: user.email, token, attempts: reset.attempts };
  }
}

interface Claimed {
  id: string;
  purpose: ResetPurpose;
  to: string;
  token: string;
  attempts: number;
}

// The text is ASCII with short lines: mail servers do not re-encode such a text, so people and programs can read it in the raw mail.
const textOf = (purpose: ResetPurpose, token: string, resetUrl: string | undefined) => ({
  subject: purpose === ResetPurpose.RESET ? 'Your new password' : 'Your invitation',
  text: [
    purpose === ResetPurpose.RESET
      ? 'Somebody, hopefully you, asked for a new password for your account.'
      : 'An account has been made for you. Choose your password to use it.',
    '',
    ...(resetUrl ? [resetUrl.replaceAll('{token}', token), ''] : []),
    `Token: ${token}`,
    '',
    purpose === ResetPurpose.RESET
      ? 'It works once and for one hour. If it was not you, do nothing:'
      : 'It works once and for seven days.',
    ...(purpose === ResetPurpose.RESET ? ['your password stays as it is.'] : []),
    '',
  ].join('\n'),
});
