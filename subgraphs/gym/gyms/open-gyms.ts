import type { Viewer } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { keepOpenGym } from './gym-locks.ts';

/**
 * The gym that somebody writes into, by the input's `gymId` or as their own. A gym that is being set up does not exist
 * for anybody but the service that makes it, so that nothing keeps that service from taking it back.
 * The gym is kept until the transaction ends.
 * @throws VALIDATION_FAILED where there is no such gym
 */
export async function requireOpenGym(unit: UnitOfWork, gymId: string): Promise<string> {
  if (!isUuid(gymId) || !(await keepOpenGym(unit, gymId))) throw invalid('gymId', 'there is no such gym');
  return gymId;
}

/** The service that asks, for `VISIBLE_GYM`; null for everybody else. */
export const askingService = (viewer: Viewer): string | null =>
  viewer.kind === 'service' ? viewer.service : null;

/** SQL: whether the asking service (one parameter, see `askingService`), or everybody, may see the gym. */
export const VISIBLE_GYM = '(gym.opened_at is not null or gym.made_by = ?)';
