import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes the oldest import that began before this time. One import is a batch, because it may have 100,000 lines. */
export const removeOldImport = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeOne(unit, 'started_at < ?', before);

/** Removes an import whose file has not arrived completely, because the process that received it was killed. */
export const removeBrokenImport = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeOne(unit, `status = 'RECEIVING' and started_at < ?`, before);

/** Removes the oldest matching import. @returns 1, or 0 if there is none */
async function removeOne(unit: UnitOfWork, where: string, before: Date): Promise<number> {
  const removed = await unit.em.execute<unknown[]>(
    `delete from user_import where id = (
       select id from user_import where ${where} order by started_at limit 1 for update skip locked
     ) returning 1`,
    [before],
  );
  return removed.length;
}
