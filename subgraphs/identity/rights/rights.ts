import { LockMode } from '@mikro-orm/core';
import { isSuperAdmin, requireRole, Role, runsGym, type UserViewer } from '#server/auth/viewer.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { columnsOfMembership } from '../memberships/membership.ts';
import { refuseOlderTokensOf } from '../sessions/ended-sessions.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { memberOf, recordMemberChange, type MemberShape } from '../users/member-events.ts';
import { User } from '../users/user.entity.ts';
import type { UserShape } from '../users/users.shapes.ts';
import { presentUser } from '../users/present-user.ts';
import { mailGymRemoved } from './mail-gym-removed.ts';
import { SetGymShape, SetRoleShape } from './rights.shapes.ts';

/**
 * Roles and gyms of users. Every change is audited, and invalidates the access tokens with the old rights. Sessions
 * continue, and get tokens with the new rights by a refresh.
 */
export class Rights {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
  }

  /** For SUPER_ADMIN. @throws CONFLICT for the last SUPER_ADMIN */
  async setRole(userId: string, input: unknown): Promise<UserShape> {
    const viewer = requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { role } = validated(SetRoleShape, input);
    return this.unit.transaction(async () => {
      const others = (await lockedSuperAdmins(this.unit)).filter((id) => id !== userId);
      const user = await this.locked(userId);
      if (user.role === role) return presentUser(this.unit, user, viewer);
      if (user.role === Role.SUPER_ADMIN && others.length === 0) throw lastSuperAdmin();
      await this.audit.record('ROLE_CHANGED', user.id, { from: user.role, to: role });
      const before = memberOf(this.unit, user);
      user.role = role;
      return this.changed(user, viewer, before);
    });
  }

  /**
   * A SUPER_ADMIN moves any user to any gym. A GYM_ADMIN adds members without a gym to their own gym, and removes its members.
   * @throws NOT_FOUND for another gym's user, FORBIDDEN for another gym or an admin, VALIDATION_FAILED for a gym that does
   * not exist
   */
  async setGym(userId: string, input: unknown): Promise<UserShape> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId } = validated(SetGymShape, input);
    await this.gyms.requireExists(gymId);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId);
      const user = await this.locked(userId);
      if (!isSuperAdmin(viewer)) {
        if (user.gymId && !runsGym(viewer, user.gymId)) throw notFound('user', userId);
        if (user.role !== Role.MEMBER) throw forbidden('Only a SUPER_ADMIN may move an admin.');
        if (gymId !== null && !runsGym(viewer, gymId))
          throw forbidden('You may add members only to your own gym.');
      }
      if ((user.gymId ?? null) === gymId) return presentUser(this.unit, user, viewer);
      await this.audit.record('GYM_CHANGED', user.id, { from: user.gymId ?? null, to: gymId });
      const before = memberOf(this.unit, user);
      Object.assign(user, columnsOfMembership(gymId ? { gymId, status: 'ACTIVE' } : null));
      return this.changed(user, viewer, before);
    });
  }

  /**
   * Removes the users of a removed gym from it. Each of them gets a mail after the commit.
   */
  async leaveRemovedGym(gymId: string): Promise<void> {
    const rows = await this.unit.em.execute<{ id: string }[]>(
      'select id from user_account where gym_id = ? order by id for update',
      [gymId],
    );
    for (const { id } of rows) {
      const user = await this.locked(id);
      await this.audit.record('GYM_CHANGED', id, { from: gymId, to: null });
      const before = memberOf(this.unit, user);
      Object.assign(user, columnsOfMembership(null));
      await this.invalidateTokens(user);
      await recordMemberChange(this.unit, before, memberOf(this.unit, user));
      await addJob(this.unit.em, mailGymRemoved, { userId: id });
    }
  }

  private async locked(userId: string): Promise<User> {
    const user = isUuid(userId)
      ? await this.unit.em.findOne(
          User,
          { id: userId },
          { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
        )
      : null;
    if (!user) throw notFound('user', userId);
    return user;
  }

  private async changed(user: User, viewer: UserViewer, before: MemberShape): Promise<UserShape> {
    await this.invalidateTokens(user);
    await recordMemberChange(this.unit, before, memberOf(this.unit, user));
    // An admin who removes a member may still see them in this answer, as before the change.
    return presentUser(this.unit, user, viewer);
  }

  /** Invalidates access tokens with the old rights. */
  private async invalidateTokens(user: User): Promise<void> {
    const now = new Date();
    // Two changes are at least one second apart, because old and new tokens are distinguished by their times in whole seconds.
    user.rightsChangedAt = new Date(Math.max(now.getTime(), (user.rightsChangedAt?.getTime() ?? 0) + 1_000));
    user.updatedAt = now;
    user.version += 1;
    await refuseOlderTokensOf(this.unit.em, user.id, user.rightsChangedAt);
  }
}

/** Ids of all SUPER_ADMINs. Their rows are locked, so that none of them is demoted or deleted before the commit. */
export async function lockedSuperAdmins(unit: UnitOfWork): Promise<string[]> {
  const rows = await unit.em.execute<{ id: string }[]>(
    `select id from user_account where role = 'SUPER_ADMIN' order by id for update`,
  );
  return rows.map(({ id }) => id);
}

export const lastSuperAdmin = () =>
  conflict('This is the last SUPER_ADMIN; make another user SUPER_ADMIN first.');
