import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { jobOf } from '#server/jobs/job.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';
import { GymInvitation } from './gym-invitation.entity.ts';

/** How long an invitation can be accepted after its mail. */
const LIFETIME_MILLIS = 7 * DAY_MILLIS;

/** Sends a mail to a user who has an account and whom a gym has invited. */
export const mailGymInvitation = jobOf<{ mails: MailDelivery }>()({
  name: 'mail_gym_invitation',
  payload: z.object({ invitationId: uuid(), userId: uuid() }),
  shown: ['invitationId', 'userId'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ invitationId }, { unit, resources: { mails }, isLastAttempt }) {
    const [found] = await unit.em.execute<{ email: string; gymId: string }[]>(
      `select email, gym_invitation.gym_id as "gymId" from gym_invitation join user_account on user_account.id = user_id
       where gym_invitation.id = ? and (sent_at is null or sent_at < requested_at)`,
      [invitationId],
    );
    // The invitation was withdrawn or accepted, or an earlier run has sent the mail, but the job was not marked as done.
    if (!found) return;
    await mails.send({ to: found.email, ...textOf(found.gymId) }, { isLastAttempt });
    const sentAt = new Date();
    await unit.em.nativeUpdate(
      GymInvitation,
      { id: invitationId },
      { sentAt, expiresAt: new Date(sentAt.getTime() + LIFETIME_MILLIS) },
    );
  },
});

// The text is ASCII with short lines: mail servers do not re-encode such a text, so people and programs can read it in the raw mail.
const textOf = (gymId: string) => ({
  subject: 'A gym has invited you',
  text: [
    'A gym invites you to become its member, with your account.',
    'Log in, confirm your email address if you have not yet,',
    'and join the gym. The invitation works for seven days.',
    '',
    `Gym: ${gymId}`,
    '',
    'If you do not want to join, do nothing.',
    '',
  ].join('\n'),
});
