import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { jobOf } from '#server/jobs/job.ts';
import { MAIL_ATTEMPTS, type MailDelivery } from '../mail/mail-delivery.ts';

/** Sends a mail to a user whose gym was removed. No mail is sent if the account was deleted meanwhile. */
export const mailGymRemoved = jobOf<{ mails: MailDelivery }>()({
  name: 'mail_gym_removed',
  payload: z.object({ userId: uuid() }),
  shown: ['userId'],
  maxAttempts: MAIL_ATTEMPTS,
  async run({ userId }, { unit, resources: { mails }, isLastAttempt }) {
    const [user] = await unit.em.execute<{ email: string }[]>('select email from user_account where id = ?', [
      userId,
    ]);
    if (user) await mails.send({ to: user.email, ...GYM_REMOVED }, { isLastAttempt });
  },
});

const GYM_REMOVED = {
  subject: 'Your gym has left the platform',
  text: [
    'The gym that you belonged to is no longer on the platform.',
    'Your account, your workouts and your food log do not change;',
    'ask another gym to add you to its members.',
    '',
  ].join('\n'),
};
