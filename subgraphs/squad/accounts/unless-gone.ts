import { requireStaying, users } from '../users/user.journal.ts';
import type { Journals } from '../storage/journal.ts';

/**
 * Looks, after something was written that names a user elsewhere than in her own journal, whether her account was
 * erased meanwhile; then `forget` takes it away again. @throws CONFLICT then
 */
export async function unlessGone(
  journals: Journals,
  userId: string,
  forget: () => Promise<void>,
): Promise<void> {
  const user = await journals.of(users).read(userId);
  if (user.farewell) await forget();
  requireStaying(user);
}
