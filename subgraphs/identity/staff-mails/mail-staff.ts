import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { jobOf } from '#server/jobs/job.ts';
import { uuid } from '#server/shapes.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';

/**
 * Sends a mail to one of the staff. Each receiver has a job and attempts of their own, so that a mail server that refuses one of
 * them neither keeps the mail from the others nor repeats it. No mail is sent to a user who is no longer an admin, or who is now
 * an admin of another gym.
 */
export const mailStaff = jobOf<{ mails: MailDelivery }>()({
  name: 'mail_staff',
  payload: z.object({ userId: uuid(), gymId: uuid().nullable(), subject: z.string(), text: z.string() }),
  shown: ['userId', 'subject'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ userId, gymId, subject, text }, { unit, resources: { mails }, isLastAttempt }) {
    const [user] = await unit.em.execute<{ email: string }[]>(
      'select email from user_account where id = ? and (role = ? or role = ? and gym_id = ?)',
      [userId, Role.SUPER_ADMIN, Role.GYM_ADMIN, gymId],
    );
    if (user) await mails.send({ to: user.email, subject, text }, { isLastAttempt });
  },
});
