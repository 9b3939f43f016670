import { requireUser, type Viewer } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';

/**
 * What people eat is theirs alone: no admin sees it, and that there is any is not told either.
 * @param userId `me` is the caller
 * @returns the owner's id. @throws UNAUTHENTICATED; NOT_FOUND for anybody else's.
 */
export function requireOwner(viewer: Viewer, userId: string): string {
  const user = requireUser(viewer);
  if (userId === 'me' || userId.toLowerCase() === user.userId.toLowerCase()) return user.userId;
  throw notFound('food log of the user', userId);
}
