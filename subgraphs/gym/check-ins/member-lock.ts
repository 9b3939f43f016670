import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Locks a member until the transaction ends, so that transactions that count the member's visits run one after the other.
 * Without the lock, neither of two simultaneous transactions would count the visit that the other one writes. Take this lock
 * before every other lock.
 */
export async function lockMember(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute(MEMBER_LOCK, [memberLockKey(userId)]);
}

/** The same lock as a part of a larger statement. The value of its placeholder is `memberLockKey(userId)`. */
export const MEMBER_LOCK = 'select pg_advisory_xact_lock(hashtextextended(?, 0))';
export const memberLockKey = (userId: string): string => `check-in:${userId}`;
