import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { notFound, PlatformError } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { addJob } from '#server/jobs/add-job.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { refuseOlderTokensOf } from '../sessions/ended-sessions.ts';
import { memberOf, recordMemberChange, type MemberShape } from '../users/member-events.ts';
import { User } from '../users/user.entity.ts';
import { afterUntil, columnsOfMembership, type NewMembership } from './membership.ts';
import { belongs } from './membership-status.ts';
import { reportMembershipEnd } from './report-membership-end.ts';

/** Locks the account before a change of its membership or rights. @throws NOT_FOUND */
export async function lockedUser(unit: UnitOfWork, userId: string): Promise<User> {
  const user = isUuid(userId)
    ? await unit.em.findOne(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    : null;
  if (!user) throw notFound('user', userId);
  return user;
}

/** As `lockedUser`. If the `until` of the membership has passed, its next status is stored before the user is returned. */
export async function lockedMember(unit: UnitOfWork, userId: string): Promise<User> {
  const user = await lockedUser(unit, userId);
  await settleUntil(unit, user);
  return user;
}

/**
 * Changes the membership of a locked user, with everything that follows from it, in the open transaction: tokens with the old
 * gym, the events, the end of what the membership allowed, and the job at `until`.
 */
export async function changeMembership(
  unit: UnitOfWork,
  user: User,
  next: NewMembership | null,
): Promise<void> {
  const before = memberOf(unit, user);
  const ended = endedGym(user, next);
  const gymBefore = user.gymId ?? null;
  Object.assign(user, columnsOfMembership(next));
  await markChanged(unit, user, { losesRights: gymBefore !== null && gymBefore !== user.gymId });
  await recordMemberChange(unit, before, memberOf(unit, user));
  if (ended) await reportEnd(unit, user.id, ended);
  if (next?.until)
    await addJob(unit.em, applyUntil, { userId: user.id }, { runAt: next.until, key: user.id });
}

/** Stores the next status of a membership whose `until` has passed. The user's row must be locked. */
export async function settleUntil(unit: UnitOfWork, user: User): Promise<void> {
  const { membershipGymId: gymId, membershipStatus: status, membershipUntil: until } = user;
  const next = status && afterUntil(status);
  if (!gymId || !next || !until || until.getTime() > Date.now()) return;
  await changeMembership(unit, user, {
    gymId,
    status: next,
    since: until,
    reason: user.membershipReason ?? null,
  });
}

/**
 * Stores the next status of a membership at its `until`. If the membership was changed in the meantime, nothing is due, and
 * no status changes.
 */
export const applyUntil: Job<{ userId: string }> = jobOf<object>()({
  name: 'membership_until',
  payload: z.object({ userId: uuid() }),
  shown: ['userId'],
  maxAttempts: 25,
  async run({ userId }, { unit }) {
    try {
      await unit.transaction(async () => {
        const { membershipUntil: until } = await lockedMember(unit, userId);
        // `until` was moved, or the clock of this process is behind the clock of the database, which has started the job.
        if (until) await addJob(unit.em, applyUntil, { userId }, { runAt: until, key: userId });
      });
    } catch (error) {
      // The account was deleted.
      if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    }
  },
});

/**
 * Counts a change of an account, and refuses its older access tokens if they have rights that it has lost. Sessions continue,
 * and get tokens with the new role and gym by a refresh.
 */
export async function markChanged(
  unit: UnitOfWork,
  user: User,
  { losesRights }: { losesRights: boolean },
): Promise<void> {
  const now = new Date();
  user.updatedAt = now;
  user.version += 1;
  if (!losesRights) return;
  // Two changes are at least one second apart, because old and new tokens are distinguished by their times in whole seconds.
  user.rightsChangedAt = new Date(Math.max(now.getTime(), (user.rightsChangedAt?.getTime() ?? 0) + 1_000));
  await refuseOlderTokensOf(unit.em, user.id, user.rightsChangedAt);
}

/** The change of a user whose membership does not change, e.g. of their role. @param before from `memberOf` */
export async function changeRights(unit: UnitOfWork, user: User, before: MemberShape): Promise<void> {
  await markChanged(unit, user, { losesRights: true });
  await recordMemberChange(unit, before, memberOf(unit, user));
}

/** The gym that the user belonged to and does not belong to any more; null if there is none. */
function endedGym(user: User, next: NewMembership | null): string | null {
  if (!user.gymId) return null;
  const stays = next !== null && next.gymId === user.gymId && belongs(next.status);
  return stays ? null : user.gymId;
}

/** Services that store what a membership allowed: visits, bookings, squads. */
const SERVICES_OF_MEMBERS = ['gym', 'squad'] as const;
/** The second report ends what was written by requests that ran during the first report; a request lasts at most 30 s. */
const SECOND_REPORT_MILLIS = 35_000; // 35 s

async function reportEnd(unit: UnitOfWork, userId: string, gymId: string): Promise<void> {
  const endedAt = new Date();
  for (const service of SERVICES_OF_MEMBERS)
    for (const runAt of [undefined, new Date(endedAt.getTime() + SECOND_REPORT_MILLIS)])
      await addJob(
        unit.em,
        reportMembershipEnd,
        { userId, gymId, service, endedAt: endedAt.toISOString() },
        runAt ? { runAt } : {},
      );
}
