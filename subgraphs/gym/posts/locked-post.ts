import { requireUser } from '#server/auth/viewer.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireSight } from '../access.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Post } from './post.entity.ts';

interface PostChange {
  /** Whether something is added to the post, which is refused if its gym is not active. */
  adds?: boolean;
  expectedVersion?: number | undefined;
  /** Throws if the viewer, who sees the post, may not change it. */
  decide?(post: Post): void;
}

/**
 * Loads a post for a write and locks it: until the transaction ends, no other transaction changes or deletes it. All rows
 * that belong to a post are written under this lock, so that all transactions take their locks in one order.
 * @throws NOT_FOUND, also for another gym's post; what `decide` throws; VERSION_CONFLICT; CONFLICT if the gym is not active
 */
export async function lockedPost(
  unit: UnitOfWork,
  id: string,
  { adds, expectedVersion, decide }: PostChange = {},
): Promise<Post> {
  const viewer = requireUser(unit.viewer);
  if (adds) await requireOpenGymOf(unit, id);
  return lockedForChange(unit, Post, {
    what: 'post',
    id,
    expectedVersion,
    decide: (stored) => {
      requireSight(viewer, 'post', id, stored);
      decide?.(stored);
    },
  });
}

/** Locks the gym before the post, as every write that adds something to a gym does. @throws NOT_FOUND, CONFLICT */
async function requireOpenGymOf(unit: UnitOfWork, postId: string): Promise<void> {
  const [post] = isUuid(postId)
    ? await unit.run<{ gymId: string }>('select gym_id as "gymId" from post where id = ?', [postId])
    : [];
  await requireOpenGym(unit, requireSight(unit.viewer, 'post', postId, post ?? null).gymId);
}
