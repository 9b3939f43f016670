import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Keeps an open gym from being withdrawn until the transaction ends; false if there is no open gym of this id.
 *
 * A write that adds rows to a gym calls this function or `requireOpenGym` before it locks anything that belongs to the gym.
 * The withdrawal of a gym also locks the gym first; otherwise the two could deadlock. `key share` is the lock that
 * PostgreSQL takes for a foreign key, and allows other changes of the gym.
 */
export async function preventWithdrawalOfGym(unit: UnitOfWork, gymId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>(`${OPEN_GYM} for key share`, [gymId]);
  return rows.length > 0;
}

/** SQL that selects an open gym. A statement that contains it adds `for key share`. */
export const OPEN_GYM = 'select 1 from gym where id = ? and opened_at is not null';

/**
 * Locks a gym, so that its changes run one after the other; false if there is no such gym. The lock allows new rows that
 * refer to the gym.
 */
export async function lockGym(unit: UnitOfWork, gymId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>('select 1 from gym where id = ? for no key update', [gymId]);
  return rows.length > 0;
}
