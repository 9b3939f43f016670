import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { keepGym } from './gym-locks.ts';

/**
 * The gym that somebody writes into, by the input's `gymId` or as their own; it is kept until the transaction ends.
 * @throws VALIDATION_FAILED at `gymId` if there is no such gym
 */
export async function requireOpenGym(unit: UnitOfWork, gymId: string): Promise<string> {
  if (!(await keepGym(unit, gymId))) throw invalid('gymId', 'there is no such gym');
  return gymId;
}
