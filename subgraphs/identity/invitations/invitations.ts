import { requireRole, requireGymAdmin, Role, type Viewer } from '#server/auth/viewer.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { PasswordReset, ResetPurpose } from '../password-resets/password-reset.entity.ts';
import type { PasswordResets } from '../password-resets/password-resets.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { insertUser } from '../users/insert-user.ts';
import { User } from '../users/user.entity.ts';
import type { UserShape } from '../users/users.shapes.ts';
import { presentUser } from '../users/users.ts';
import { InviteShape } from './invitations.shapes.ts';

/** Accounts that somebody makes for somebody else, who sets her password by the token of a mail. */
export class Invitations {
  private readonly unit: UnitOfWork;
  private readonly resets: PasswordResets;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, resets: PasswordResets, audit: Audit, gyms: GymsOfUsers) {
    this.unit = unit;
    this.resets = resets;
    this.audit = audit;
    this.gyms = gyms;
  }

  /** A GYM_ADMIN invites members into her gym; a SUPER_ADMIN and services anybody, but only a SUPER_ADMIN another one. @throws CONFLICT for a taken email */
  async invite(input: unknown): Promise<UserShape> {
    const { viewer } = this.unit;
    const {
      id,
      email,
      displayName,
      role = Role.MEMBER,
      gymId = null,
    } = withoutNulls(validated(InviteShape, input));
    const gym = gymThatMayBe(viewer, role, gymId);
    const chosenId = viewer.kind === 'service' && id ? id : undefined;
    // A service invites into the gym that it is about to make, which nobody else sees yet.
    if (viewer.kind !== 'service') await this.gyms.requireExists(gym);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gym);
      const invited = chosenId ? await this.unit.em.findOne(User, { id: chosenId }) : null;
      if (invited) return presentUser(this.unit, invited, viewer);
      const user = await insertUser(this.unit, {
        id: chosenId,
        email,
        passwordHash: null,
        displayName,
        role,
        gymId: gym,
      });
      await this.audit.record('USER_INVITED', user.id, { role, gymId: gym });
      await this.resets.note(email, ResetPurpose.INVITATION);
      return presentUser(this.unit, user, viewer);
    });
  }

  /** Undoes an invitation that has not been accepted; harmless when repeated by a service. @throws CONFLICT once a password is set */
  async withdraw(userId: string): Promise<void> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'service') requireRole(viewer, Role.SUPER_ADMIN);
    await this.unit.transaction(async () => {
      const [user] = isUuid(userId)
        ? await this.unit.em.execute<{ accepted: boolean }[]>(
            'select password_hash is not null as accepted from user_account where id = ? for update',
            [userId],
          )
        : [];
      if (!user) throw notFound('invitation', userId);
      if (user.accepted) throw conflict("This invitation has been accepted; the account is its owner's.");
      await this.unit.em.nativeDelete(PasswordReset, { userId });
      await this.unit.em.execute('delete from user_account where id = ?', [userId]);
      await this.audit.record('INVITATION_WITHDRAWN', userId);
    });
  }
}

function gymThatMayBe(viewer: Viewer, role: Role, gymId: string | null): string | null {
  if (viewer.kind === 'service') {
    if (role === Role.SUPER_ADMIN) throw forbidden('A SUPER_ADMIN is invited by another one.');
    return gymId;
  }
  const user = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  if (user.role === Role.SUPER_ADMIN) return gymId;
  if (role !== Role.MEMBER) throw forbidden('A GYM_ADMIN invites members; admins are made by a SUPER_ADMIN.');
  return requireGymAdmin(viewer, gymId);
}

const withoutNulls = <Shape extends { role?: Role | null | undefined; gymId?: string | null | undefined }>(
  shape: Shape,
) => ({
  ...shape,
  role: shape.role ?? undefined,
  gymId: shape.gymId ?? undefined,
});
