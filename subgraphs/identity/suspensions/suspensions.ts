import { requireRole, Role } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { lockedUser, markChanged } from '../memberships/change-membership.ts';
import { lastSuperAdmin, lockedSuperAdmins } from '../rights/rights.ts';
import { endAllSessionsOf } from '../sessions/ended-sessions.ts';
import { presentUser } from '../users/present-user.ts';
import type { UserShape } from '../users/users.shapes.ts';
import { SetSuspensionShape } from './suspensions.shapes.ts';

/** Accounts that a SUPER_ADMIN has suspended: nobody can log in to them. */
export class Suspensions {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, audit: Audit) {
    this.unit = unit;
    this.audit = audit;
  }

  /**
   * Suspends an account, which ends all its sessions, or ends the suspension. Audited. For SUPER_ADMIN.
   * @throws NOT_FOUND; CONFLICT for the last SUPER_ADMIN who can log in
   */
  async set(userId: string, input: unknown): Promise<UserShape> {
    const viewer = requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { suspended, reason } = validated(SetSuspensionShape, input);
    return this.unit.transaction(async () => {
      const superAdmins = await lockedSuperAdmins(this.unit);
      const user = await lockedUser(this.unit, userId);
      const others = superAdmins.filter((id) => id !== user.id);
      const wasSuspended = Boolean(user.suspendedAt);
      if (suspended && user.role === Role.SUPER_ADMIN && others.length === 0) throw lastSuperAdmin();
      if (!suspended && !wasSuspended) return presentUser(this.unit, user, viewer);
      user.suspendedAt = suspended ? (user.suspendedAt ?? new Date()) : null;
      user.suspensionReason = suspended ? (reason ?? null) : null;
      if (suspended !== wasSuspended)
        await this.audit.record(suspended ? 'ACCOUNT_SUSPENDED' : 'SUSPENSION_ENDED', user.id);
      await markChanged(this.unit, user, { losesRights: false });
      if (suspended) await endAllSessionsOf(this.unit.em, user.id);
      return presentUser(this.unit, user, viewer);
    });
  }
}
