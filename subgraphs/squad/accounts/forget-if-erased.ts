import { requireNotErased, users } from '../users/user.journal.ts';
import type { Journals } from '../storage/journal.ts';

/**
 * To be called by a rule after it has written a user's id into another journal than the user's own. If the account was
 * erased meanwhile, calls `forget`, which removes the id again. @throws CONFLICT if the account was erased
 */
export async function forgetIfErased(
  journals: Journals,
  userId: string,
  forget: () => Promise<void>,
): Promise<void> {
  const user = await journals.of(users).read(userId);
  if (user.farewell) await forget();
  requireNotErased(user);
}
