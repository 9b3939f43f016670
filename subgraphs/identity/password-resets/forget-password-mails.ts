import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Deletes all requests for a mail with a token for this account. Tokens that were mailed become invalid, and a mail that is not
 * sent yet is not sent, because its job finds no row.
 */
export async function forgetPasswordMails(
  em: EntityManager,
  { id, email }: { id: string; email: string },
): Promise<void> {
  // A request whose mail has not been sent yet has no user id, so the email is compared, too.
  await em.execute('delete from password_reset where user_id = ? or lower(email) = lower(?)', [id, email]);
}
