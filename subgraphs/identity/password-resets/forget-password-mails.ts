import type { EntityManager } from '@mikro-orm/postgresql';

/** Makes all mailed tokens of an account invalid, also those of mails that are not sent yet: no mail is sent for a missing row. */
export async function forgetPasswordMails(
  em: EntityManager,
  { id, email }: { id: string; email: string },
): Promise<void> {
  // A request whose mail has not been sent yet has no user id, so the email is compared, too.
  await em.execute('delete from password_reset where user_id = ? or lower(email) = lower(?)', [id, email]);
}
