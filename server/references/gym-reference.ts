import { z } from 'zod';
import type { UnitOfWork } from '../unit-of-work.ts';
import { invalidFields } from '../validate.ts';
import type { References } from './references.ts';

const GYM = { owner: 'gym', typeName: 'Gym', shape: z.object({ id: z.string() }) } as const;

/**
 * Checks that the gym that a body names exists. The request to the gym service has this service's own token, because gyms
 * are public and a user who registers has no token.
 * @throws VALIDATION_FAILED at `path`; UPSTREAM_UNAVAILABLE if the gym service does not answer
 */
export async function requireGymExists(
  references: References,
  unit: UnitOfWork,
  gymId: string,
  path = 'gymId',
): Promise<void> {
  const found = await references.find(GYM, [gymId], { as: 'service', origin: unit.origin });
  if (!found.has(gymId))
    throw invalidFields([{ path, message: 'expected the id of a gym; there is no gym with this id' }]);
}

/** The type name of gyms for `removedAmong` and `Removals`. */
export const GYM_TYPE = GYM.typeName;
