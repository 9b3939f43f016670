import { requireUser } from '#server/auth/viewer.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireSight } from '../access.ts';
import { Post } from './post.entity.ts';

interface PostChange {
  expectedVersion?: number | undefined;
  /** Decides the rights beyond seeing the post. */
  decide?(post: Post): void;
}

/**
 * Loads a post for a write: until the transaction ends, no other transaction changes or deletes it. All rows that belong to a post
 * are written under this lock, so that all transactions take their locks in the same order.
 * @throws NOT_FOUND, also for another gym's post; what `decide` throws; VERSION_CONFLICT
 */
export async function lockedPost(
  unit: UnitOfWork,
  id: string,
  { expectedVersion, decide }: PostChange = {},
): Promise<Post> {
  const viewer = requireUser(unit.viewer);
  return lockedForChange(unit, Post, {
    what: 'post',
    id,
    expectedVersion,
    decide: (post) => {
      requireSight(viewer, 'post', id, post);
      decide?.(post);
    },
  });
}
