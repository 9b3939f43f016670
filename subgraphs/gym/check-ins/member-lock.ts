import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Serialises code that counts the visits of a member, until the transaction ends: each such transaction counts all of them,
 * and of two simultaneous ones neither would see the other's rows. Take it before every other lock.
 */
export async function lockMember(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`check-in:${userId}`]);
}
