import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { jobOf } from '#server/jobs/job.ts';
import { uuid } from '#server/shapes.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';
import type { Mail } from '../mail/mailer.ts';

/**
 * Sends a mail to one of the staff. Each receiver has a job of their own: if the mail server refuses one receiver, the others
 * still get the mail, and do not get it again with each further attempt. No mail is sent to a user who is no longer an admin,
 * or who is now an admin of another gym.
 */
export const mailStaff = jobOf<{ mails: MailDelivery }>()({
  name: 'mail_staff',
  payload: z.object({ mailId: uuid(), userId: uuid(), gymId: uuid().nullable() }),
  shown: ['mailId', 'userId', 'gymId'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ mailId, userId, gymId }, { unit, resources: { mails }, isLastAttempt }) {
    const [mail] = await unit.em.execute<Mail[]>(
      `select email as "to", subject, text from user_account, staff_mail
       where user_account.id = ? and (role = ? or role = ? and gym_id = ?) and staff_mail.id = ?`,
      [userId, Role.SUPER_ADMIN, Role.GYM_ADMIN, gymId, mailId],
    );
    if (mail) await mails.send(mail, { isLastAttempt });
  },
});
