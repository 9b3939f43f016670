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

/** The user, whose account is locked before its membership or rights change. @throws NOT_FOUND */
export async function lockedUser(unit: UnitOfWork, userId: string): Promise<User> {
  const user = isUuid(userId)
    ? await unit.em.findOne(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    : null;
  if (!user) throw notFound('user', userId);
  return user;
}

/** As `lockedUser`. If the `until` of the membership has passed, its next status is stored first. */
export async function lockedMember(unit: UnitOfWork, userId: string): Promise<User> {
  const user = await lockedUser(unit, userId);
  await storeDueStatus(unit, user);
  return user;
}

/**
 * Stores the next membership of a locked user. In the same, open transaction it refuses the tokens with a gym that the user has
 * left, writes the events, and adds the jobs that end what the membership allowed and that store the next status at `until`.
 * @param next null: the user has no membership any more, not even one that has ENDED
 */
export async function changeMembership(
  unit: UnitOfWork,
  user: User,
  next: NewMembership | null,
): Promise<void> {
  const before = memberOf(unit, user);
  const gymLeft = gymLeftBy(user, next);
  const gymBefore = user.gymId ?? null;
  Object.assign(user, columnsOfMembership(next));
  await markChanged(unit, user, { losesRights: gymBefore !== null && gymBefore !== user.gymId });
  await recordMemberChange(unit, before, memberOf(unit, user));
  if (gymLeft) await reportEnd(unit, user.id, gymLeft);
  if (next?.until)
    await addJob(unit.em, applyUntil, { userId: user.id }, { runAt: next.until, key: user.id });
}

/** Stores the next status of a membership whose `until` has passed. The user's row must be locked. */
export async function storeDueStatus(unit: UnitOfWork, user: User): Promise<void> {
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
 * Stores the next status of a membership at its `until`. If the membership was changed since the job was added, its status may
 * not be due: then nothing is stored.
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
        // `until` is still ahead: it was changed, or this process's clock is behind that of the database, which started the job.
        if (until) await addJob(unit.em, applyUntil, { userId }, { runAt: until, key: userId });
      });
    } catch (error) {
      // The account was deleted.
      if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    }
  },
});

/**
 * Increases the version of a changed account. If the change takes rights from it, its older access tokens are refused; sessions
 * continue, and get tokens with the new role and gym by a refresh.
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

/**
 * Completes a change of a locked user's role: refuses their older tokens, and writes the events.
 * @param before the user before the change, from `memberOf`
 */
export async function markRoleChanged(unit: UnitOfWork, user: User, before: MemberShape): Promise<void> {
  await markChanged(unit, user, { losesRights: true });
  await recordMemberChange(unit, before, memberOf(unit, user));
}

/** The gym that the user belongs to now, and will not belong to with the next membership; null if there is none. */
function gymLeftBy(user: User, next: NewMembership | null): string | null {
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
