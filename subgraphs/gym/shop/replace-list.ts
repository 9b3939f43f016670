import type { EntityName, RequiredEntityData } from '@mikro-orm/core';
import { notFound } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { lockGym } from '../gyms/gym-locks.ts';

/**
 * Replaces all rows of a gym in the table of `entity`; two simultaneous replacements run one after the other.
 * @throws NOT_FOUND for an unknown gym
 */
export async function replaceList<Row extends { gymId: string }>(
  unit: UnitOfWork,
  entity: EntityName<Row>,
  gymId: string,
  rows: RequiredEntityData<Row>[],
): Promise<void> {
  await unit.transaction(async () => {
    if (!(await lockGym(unit, gymId))) throw notFound('gym', gymId);
    await unit.em.nativeDelete<{ gymId: string }>(entity as EntityName<{ gymId: string }>, { gymId });
    if (rows.length > 0) await unit.em.insertMany(entity, rows);
  });
}
