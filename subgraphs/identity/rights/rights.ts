import { isSuperAdmin, managesGym, requireRole, Role } from '#server/auth/viewer.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import {
  changeMembership,
  lockedMember,
  lockedUser,
  markRoleChanged,
} from '../memberships/change-membership.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { memberOf } from '../users/member-events.ts';
import type { User } from '../users/user.entity.ts';
import type { UserShape } from '../users/users.shapes.ts';
import { presentUser } from '../users/present-user.ts';
import { mailGymRemoved } from './mail-gym-removed.ts';
import { SetGymShape, SetRoleShape } from './rights.shapes.ts';

/**
 * Roles and gyms of users. Every change is audited. If it takes rights from the user, their older access tokens become invalid;
 * their sessions continue, and get tokens with the new role and gym by a refresh.
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

  /** For SUPER_ADMIN. @throws NOT_FOUND; CONFLICT for the last SUPER_ADMIN who can log in */
  async setRole(userId: string, input: unknown): Promise<UserShape> {
    const viewer = requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { role } = validated(SetRoleShape, input);
    return this.unit.transaction(async () => {
      const superAdmins = await lockedSuperAdmins(this.unit);
      const user = await lockedUser(this.unit, userId);
      const others = superAdmins.filter((id) => id !== user.id);
      if (user.role === role) return presentUser(this.unit, user, viewer);
      if (user.role === Role.SUPER_ADMIN && others.length === 0) throw lastSuperAdmin();
      await this.audit.record('ROLE_CHANGED', user.id, { from: user.role, to: role });
      const before = memberOf(this.unit, user);
      user.role = role;
      await markRoleChanged(this.unit, user, before);
      return presentUser(this.unit, user, viewer);
    });
  }

  /**
   * Ends the membership of a user, and begins an ACTIVE one of another gym; with null it only ends. A SUPER_ADMIN moves any user
   * to any gym. A GYM_ADMIN adds members without a gym to their own gym, and removes its members.
   * @throws NOT_FOUND for another gym's user, FORBIDDEN for another gym or an admin, VALIDATION_FAILED for a gym that does
   * not exist, CONFLICT for a gym that is not active
   */
  async setGym(userId: string, input: unknown): Promise<UserShape> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId } = validated(SetGymShape, input);
    await this.gyms.requireJoinable(gymId);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId);
      const user = await lockedMember(this.unit, userId);
      if (!isSuperAdmin(viewer)) {
        if (user.gymId && !managesGym(viewer, user.gymId)) throw notFound('user', userId);
        if (user.role !== Role.MEMBER) throw forbidden('Only a SUPER_ADMIN may move an admin.');
        if (gymId !== null && !managesGym(viewer, gymId))
          throw forbidden('You may add members only to your own gym.');
        // An application (PENDING), too, is ended only by the staff of its gym.
        if (gymId === null && !managesGym(viewer, user.membershipGymId ?? null))
          throw notFound('user', userId);
      }
      const { membershipGymId, membershipStatus } = user;
      const hasEnded = !membershipGymId || membershipStatus === 'ENDED';
      if (gymId === null ? hasEnded : user.gymId === gymId) return presentUser(this.unit, user, viewer);
      await this.recordMove(user, gymId);
      await changeMembership(
        this.unit,
        user,
        gymId === null
          ? membershipGymId
            ? { gymId: membershipGymId, status: 'ENDED' }
            : null
          : { gymId, status: 'ACTIVE' },
      );
      return presentUser(this.unit, user, viewer);
    });
  }

  /** The end of an application (PENDING) changes no gym: the user did not belong to the gym yet. */
  private async recordMove(user: User, to: string | null): Promise<void> {
    const { gymId, membershipGymId, membershipStatus } = user;
    if (to === null && !gymId && membershipGymId && membershipStatus)
      await this.audit.record('MEMBERSHIP_CHANGED', user.id, {
        gymId: membershipGymId,
        from: membershipStatus,
        to: 'ENDED',
      });
    else await this.audit.record('GYM_CHANGED', user.id, { from: gymId ?? null, to });
  }

  /**
   * Removes all memberships of a removed gym, also PENDING and ENDED ones. Each user who belonged to the gym gets a mail after
   * the commit. Call it in a transaction.
   */
  async leaveRemovedGym(gymId: string): Promise<void> {
    const rows = await this.unit.em.execute<{ id: string }[]>(
      'select id from user_account where membership_gym_id = ? order by id for update',
      [gymId],
    );
    for (const { id } of rows) {
      const user = await lockedUser(this.unit, id);
      const belonged = Boolean(user.gymId);
      if (belonged) await this.audit.record('GYM_CHANGED', id, { from: gymId, to: null });
      await changeMembership(this.unit, user, null);
      if (belonged) await addJob(this.unit.em, mailGymRemoved, { userId: id });
    }
  }
}

/**
 * Ids of the SUPER_ADMINs who can log in: they are not suspended, and have set a password. Their rows are locked, so that none
 * of them loses the role, is suspended or is deleted before the commit.
 */
export async function lockedSuperAdmins(unit: UnitOfWork): Promise<string[]> {
  const rows = await unit.em.execute<{ id: string }[]>(
    `select id from user_account
     where role = 'SUPER_ADMIN' and suspended_at is null and password_hash is not null order by id for update`,
  );
  return rows.map(({ id }) => id);
}

export const lastSuperAdmin = () =>
  conflict('This is the last SUPER_ADMIN who can log in; make another user SUPER_ADMIN first.');
