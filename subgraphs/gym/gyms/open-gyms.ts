import type { Viewer } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { keepOpenGym } from './gym-locks.ts';

/**
 * Requires that the gym of a write is open, and keeps it from being withdrawn until the transaction ends. A gym that is being
 * set up exists only for the service that creates it: a write of another caller would prevent the service from withdrawing it.
 * @throws VALIDATION_FAILED if there is no such gym
 */
export async function requireOpenGym(unit: UnitOfWork, gymId: string): Promise<string> {
  if (!isUuid(gymId) || !(await keepOpenGym(unit, gymId))) throw invalid('gymId', 'there is no such gym');
  return gymId;
}

/** The calling service, for `VISIBLE_GYM`; null for every other caller. */
export const callingService = (viewer: Viewer): string | null =>
  viewer.kind === 'service' ? viewer.service : null;

/** SQL: whether the gym is visible to everybody, or to the calling service (one parameter, see `callingService`). */
export const VISIBLE_GYM = '(gym.opened_at is not null or gym.made_by = ?)';
