import type { Viewer } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { lockOpenGym } from './gym-locks.ts';

/**
 * Checks that a gym is open, before rows for it are written, and locks it, so that it is not withdrawn before the
 * transaction ends. A gym is not open while a wizard's deployment sets it up: if other callers could add rows then, the
 * deployment could not be undone, because a gym in use cannot be withdrawn.
 * @throws VALIDATION_FAILED if there is no open gym of this id
 */
export async function requireOpenGym(unit: UnitOfWork, gymId: string): Promise<string> {
  if (!isUuid(gymId) || !(await lockOpenGym(unit, gymId))) throw invalid('gymId', 'there is no such gym');
  return gymId;
}

/** The calling service, for `VISIBLE_GYM`; null for every other caller. */
export const callingService = (viewer: Viewer): string | null =>
  viewer.kind === 'service' ? viewer.service : null;

/** SQL: whether the gym is visible to everybody, or to the calling service (one parameter, see `callingService`). */
export const VISIBLE_GYM = '(gym.opened_at is not null or gym.made_by = ?)';
