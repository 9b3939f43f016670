import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Makes what counts the visits of a member happen one after the other until the transaction ends: each counts all of
 * them anew, so that of two at once neither would see what the other has written. Taken before every other lock.
 */
export async function lockMember(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`check-in:${userId}`]);
}
