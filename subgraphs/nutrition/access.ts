import { requireUser, type Viewer } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';

/**
 * Only the owner may read and change their food log; an admin may not. NOT_FOUND does not reveal whether another user has a
 * food log.
 * @param userId an id, or `me` for the caller
 * @returns the owner's id
 * @throws UNAUTHENTICATED, NOT_FOUND for another user
 */
export function requireOwner(viewer: Viewer, userId: string): string {
  const user = requireUser(viewer);
  if (userId === 'me' || userId === user.userId) return user.userId;
  throw notFound('food log of the user', userId);
}
