import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Keeps an open gym from being taken back until the transaction ends; false if there is none of this id.
 *
 * What is written for a gym comes by here before it locks anything of the gym, because taking a gym back locks the gym
 * first, too: otherwise the two would wait for each other. `key share` is what PostgreSQL takes for a foreign key, and
 * lets others change the gym meanwhile.
 */
export async function keepOpenGym(unit: UnitOfWork, gymId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>(
    'select 1 from gym where id = ? and opened_at is not null for key share',
    [gymId],
  );
  return rows.length > 0;
}

/** Makes changes of a gym happen one after the other; false if there is no such gym. New rows may refer to it meanwhile. */
export async function lockGym(unit: UnitOfWork, gymId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>('select 1 from gym where id = ? for no key update', [gymId]);
  return rows.length > 0;
}
