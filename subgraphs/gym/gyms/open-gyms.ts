import type { Viewer } from '#server/auth/viewer.ts';
import { conflict, invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Checks that a gym is open, before rows for it are written, and locks it, so that it is not withdrawn before the
 * transaction ends. A gym is not open while a wizard's deployment sets it up: if other callers could add rows then, the
 * deployment could not be undone, because a gym in use cannot be withdrawn.
 * @throws VALIDATION_FAILED if there is no open gym of this id; CONFLICT if it is not active
 */
export async function requireOpenGym(unit: UnitOfWork, gymId: string): Promise<string> {
  const [gym] = isUuid(gymId)
    ? await unit.em.execute<{ active: boolean }[]>(
        'select active from gym where id = ? and opened_at is not null for key share',
        [gymId],
      )
    : [];
  if (!gym) throw invalid('gymId', 'there is no such gym');
  requireActiveGym(gym);
  return gymId;
}

/** @throws CONFLICT if the gym is not active */
export function requireActiveGym({ active }: { active: boolean }): void {
  if (!active) throw conflict('This gym is not active; its data can only be read.');
}

/** The calling service, for `VISIBLE_GYM`; null for every other caller. */
export const callingService = (viewer: Viewer): string | null =>
  viewer.kind === 'service' ? viewer.service : null;

/** SQL: whether the gym is visible to everybody, or to the calling service (one parameter, see `callingService`). */
export const VISIBLE_GYM = '(gym.opened_at is not null or gym.made_by = ?)';
