import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';
import { hashOf } from '../sessions/secrets.ts';
import { EmailVerification } from './email-verification.entity.ts';

const LIFETIME_MILLIS = DAY_MILLIS;

/** Sends a mail with a token that proves that the user reads the mails to their address. */
export const mailVerification = jobOf<{ mails: MailDelivery; verifyUrl: string | undefined }>()({
  name: 'mail_verification',
  payload: z.object({
    mailId: uuid().meta({ description: 'A row of email_verification.' }),
    userId: uuid(),
  }),
  shown: ['mailId', 'userId'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ mailId }, { unit, resources: { mails, verifyUrl }, isLastAttempt }) {
    const prepared = await unit.transaction(() => prepare(unit, mailId));
    if (!prepared) return;
    await mails.send({ to: prepared.to, ...textOf(prepared.token, verifyUrl) }, { isLastAttempt });
    await unit.em.nativeUpdate(EmailVerification, { id: mailId }, { sentAt: new Date() });
  },
});

/**
 * Stores the token of a mail, so that it is valid before the mail can arrive. Each attempt has a token of its own, because
 * only its hash is stored.
 * @returns undefined if no mail is to be sent
 */
async function prepare(
  { em }: UnitOfWork,
  mailId: string,
): Promise<{ to: string; token: string } | undefined> {
  const [found] = await em.execute<{ email: string }[]>(
    `select email from email_verification join user_account on user_account.id = user_id
     where email_verification.id = ? and sent_at is null and email_verified_at is null
     for no key update of user_account`,
    [mailId],
  );
  // The email has been verified, the account has been deleted, or an earlier run has sent the mail, but the job was
  // not marked as done.
  if (!found) return undefined;
  const token = randomBytes(32).toString('base64url');
  await em.nativeUpdate(
    EmailVerification,
    { id: mailId },
    { tokenHash: hashOf(token), expiresAt: new Date(Date.now() + LIFETIME_MILLIS) },
  );
  return { to: found.email, token };
}

// The text is ASCII with short lines: mail servers do not re-encode such a text, so people and programs can read it in the raw mail.
const textOf = (token: string, verifyUrl: string | undefined) => ({
  subject: 'Please confirm your email address',
  text: [
    'An account was made with this email address.',
    'Please confirm that the address is yours.',
    '',
    ...(verifyUrl ? [verifyUrl.replaceAll('{token}', token), ''] : []),
    `Token: ${token}`,
    '',
    'It works once and for 24 hours. If it was not you, do nothing.',
    '',
  ].join('\n'),
});
