import { requireStaying, users } from '../users/user.journal.ts';
import type { Journals } from '../storage/journal.ts';

/**
 * For rules that have written a user's id elsewhere than in the user's own journal. If the account was erased meanwhile,
 * `forget` removes what was written. @throws CONFLICT then
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
