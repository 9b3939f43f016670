import type { EntityName, RequiredEntityData } from '@mikro-orm/core';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Replaces all rows of a gym; two who replace at once do so one after the other. */
export async function replaceList<Row extends { gymId: string }>(
  unit: UnitOfWork,
  entity: EntityName<Row>,
  gymId: string,
  rows: RequiredEntityData<Row>[],
): Promise<void> {
  await unit.transaction(async () => {
    await unit.em.execute('select 1 from gym where id = ? for update', [gymId]);
    await unit.em.nativeDelete<{ gymId: string }>(entity as EntityName<{ gymId: string }>, { gymId });
    if (rows.length > 0) await unit.em.insertMany(entity, rows);
  });
}
