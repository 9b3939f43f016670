import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';
import { hashOf } from '../sessions/secrets.ts';
import { PasswordReset, ResetPurpose } from './password-reset.entity.ts';

const LIFETIME_MILLIS = { RESET: HOUR_MILLIS, INVITATION: 7 * DAY_MILLIS } as const;
const MAX_MAILS_PER_HOUR = 5; // to one user

interface PasswordMails {
  mails: MailDelivery;
  /** The URL in the mail; `{token}` in it is replaced by the token. If it is absent, the mail contains only the token. */
  resetUrl: string | undefined;
}

/**
 * Sends a mail with a token for a new password. The job is added for every requested email, also for one without an account, so
 * that the duration of a request does not reveal whether the email has an account.
 */
export const mailPasswordToken = jobOf<PasswordMails>()({
  name: 'mail_password_token',
  payload: z.object({ mailId: uuid().meta({ description: 'A row of password_reset.' }) }),
  shown: ['mailId'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ mailId }, { unit, resources: { mails, resetUrl }, isLastAttempt }) {
    const prepared = await unit.transaction(() => prepare(unit, mailId));
    if (!prepared) return;
    const { to, purpose, token } = prepared;
    await mails.send({ to, ...textOf(purpose, token, resetUrl) }, { isLastAttempt });
    await unit.em.nativeUpdate(PasswordReset, { id: mailId }, { sentAt: new Date() });
  },
});

interface Prepared {
  to: string;
  purpose: ResetPurpose;
  token: string;
}

/**
 * Stores the token of a mail, so that it is valid before the mail can arrive, and no transaction is open while the mail
 * server answers. Each attempt has a token of its own, because only its hash is stored.
 * @returns undefined if no mail is to be sent
 */
async function prepare({ em }: UnitOfWork, mailId: string): Promise<Prepared | undefined> {
  const reset = await em.findOne(PasswordReset, { id: mailId });
  // The row was deleted (`forgetPasswordMails`), or an earlier run has sent the mail, but the job was not marked as done.
  if (!reset || reset.sentAt) return undefined;
  const [user] = await em.execute<{ id: string; email: string }[]>(
    // Without the lock, the account could be deleted before the token is stored, and two jobs for one account could count the
    // mails at the same time, and both send one.
    'select id, email from user_account where lower(email) = lower(?) for no key update',
    [reset.email],
  );
  if (!user || (await otherMailsTo(em, user.id, mailId)) >= MAX_MAILS_PER_HOUR) {
    em.remove(reset);
    return undefined;
  }
  const token = randomBytes(32).toString('base64url');
  reset.userId = user.id;
  reset.tokenHash = hashOf(token);
  reset.expiresAt = new Date(Date.now() + LIFETIME_MILLIS[reset.purpose]);
  return { to: user.email, purpose: reset.purpose, token };
}

/** How many mails were sent to the user within the last hour, or were requested within it and may still be sent. */
function otherMailsTo(em: UnitOfWork['em'], userId: string, mailId: string): Promise<number> {
  const anHourAgo = new Date(Date.now() - HOUR_MILLIS);
  return em.count(PasswordReset, {
    userId,
    id: { $ne: mailId },
    $or: [{ sentAt: null, requestedAt: { $gt: anHourAgo } }, { sentAt: { $gt: anHourAgo } }],
  });
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
