import {
  isSuperAdmin,
  requireRole,
  requireScope,
  requireUser,
  Role,
  type ClientViewer,
  type UserViewer,
} from '#server/auth/viewer.ts';
import { conflict, forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import type { JoinPolicy } from '#server/gym-shapes.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayChangeMembership, maySee } from '../access.ts';
import type { Audit } from '../audit/audit.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { acceptInvitation } from '../invitations/gym-invitations.ts';
import { presentUser } from '../users/present-user.ts';
import { User } from '../users/user.entity.ts';
import type { UserShape } from '../users/users.shapes.ts';
import { changeMembership, lockedMember } from './change-membership.ts';
import { membershipOf, type NewMembership } from './membership.ts';
import { belongs, mayBecome, type MembershipStatus } from './membership-status.ts';
import { SetMembershipShape } from './memberships.shapes.ts';

/** How users join a gym, and how its staff change their memberships. */
export class Memberships {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
  }

  /**
   * Changes the membership of a user; for the staff of its gym, and machine clients with the scope `members:write`. Audited,
   * unless the membership is as requested already.
   * @throws NOT_FOUND for a user whom the viewer may not see; FORBIDDEN for a user whom the viewer may see, but whose membership
   * they may not change, for the viewer's own membership, and for that of an admin unless the viewer is a SUPER_ADMIN; CONFLICT
   * for a user without a membership, for a change that the status does not allow, if the membership would begin in a gym that is
   * not active, and if it has ended while the request ran; VALIDATION_FAILED if the membership would begin in a gym
   * that does not exist any more; UPSTREAM_UNAVAILABLE if a membership would begin and the gym service does not answer
   */
  async set(userId: string, input: unknown): Promise<UserShape> {
    const viewer = this.requireStaff();
    const { status, until, reason } = validated(SetMembershipShape, input);
    const end = until ? new Date(until) : null;
    if (end && status === 'ENDED')
      throw invalid('until', 'expected none: the status ENDED ends the membership at once');
    if (end && end.getTime() <= Date.now()) throw invalid('until', 'expected a time in the future');
    const wasGymAsked = await this.requireGymIfBegins(userId, viewer, status);
    return this.unit.transaction(async () => {
      const user = await this.lockedFor(viewer, userId);
      const { membershipGymId: gymId, membershipStatus: from } = user;
      if (!gymId || !from) throw conflict('The user has no membership; a SUPER_ADMIN can add them to a gym.');
      if (!mayBecome(from, status)) throw conflict(`A membership that is ${from} cannot become ${status}.`);
      if (from === status && hasTerms(user, { end, reason: reason ?? null }))
        return presentUser(this.unit, user, viewer);
      // The removal of the gym needs no check: it removes all memberships of the gym, and this one is locked.
      if (!belongs(from) && status === 'ACTIVE' && !wasGymAsked)
        throw conflict(
          'The membership has ended in the meantime; send the request again to begin a new one.',
        );
      await this.audit.record('MEMBERSHIP_CHANGED', user.id, {
        gymId,
        from,
        to: status,
        until: end?.toISOString() ?? null,
      });
      await changeMembership(this.unit, user, {
        gymId,
        status,
        ...(from === status && user.membershipSince && { since: user.membershipSince }),
        until: end,
        reason: reason ?? null,
      });
      return presentUser(this.unit, user, viewer);
    });
  }

  /**
   * The viewer, who belongs to no gym, joins one or applies to it, by its policy. With a verified email they accept an
   * invitation of the gym.
   * @throws NOT_FOUND for a gym that does not exist; INVITATION_REQUIRED; CONFLICT for a user who belongs to a gym, and for a
   * gym that is not active; FORBIDDEN for an admin
   */
  async join(gymId: string): Promise<UserShape> {
    const viewer = requireUser(this.unit.viewer);
    // An admin who joined a gym by themselves would have the rights of an admin in a gym that has not chosen them.
    if (viewer.role !== Role.MEMBER)
      throw forbidden('Only members join a gym by themselves; ask a SUPER_ADMIN.');
    const policy = isUuid(gymId) ? await this.gyms.policyOf(gymId) : null;
    if (!policy) throw notFound('gym', gymId);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId);
      const user = await lockedMember(this.unit, viewer.userId);
      if (user.role !== Role.MEMBER)
        throw forbidden('Only members join a gym by themselves; ask a SUPER_ADMIN.');
      if (user.gymId)
        throw conflict('You belong to a gym already; its staff can end your membership.', {
          errors: [{ path: 'gymId', message: 'you belong to a gym already' }],
        });
      // Somebody else may have made an account with the invited address, so only a user who has verified it can accept.
      const isInvited = Boolean(user.emailVerifiedAt) && (await acceptInvitation(this.unit, user.id, gymId));
      const next: NewMembership = isInvited
        ? { gymId, status: 'ACTIVE' }
        : joining(gymId, policy, user.emailVerifiedAt ?? null);
      const from = user.membershipGymId === gymId ? user.membershipStatus : null;
      if (from === 'PENDING' && next.status === 'PENDING' && user.membershipAwaits === next.awaits)
        return presentUser(this.unit, user, viewer);
      await this.audit.record('MEMBERSHIP_CHANGED', user.id, { gymId, from: from ?? null, to: next.status });
      await changeMembership(this.unit, user, next);
      return presentUser(this.unit, user, { ...viewer, gymId: user.gymId ?? null });
    });
  }

  private requireStaff(): UserViewer | ClientViewer {
    const { viewer } = this.unit;
    if (viewer.kind !== 'client') return requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    requireScope(viewer, 'members:write');
    return viewer;
  }

  /** Locks a user whose membership the viewer may change. @throws the NOT_FOUND and FORBIDDEN of `set` */
  private async lockedFor(viewer: UserViewer | ClientViewer, userId: string): Promise<User> {
    const user = await lockedMember(this.unit, userId);
    this.requireMayChange(viewer, user);
    return user;
  }

  private requireMayChange(viewer: UserViewer | ClientViewer, user: User): void {
    if (viewer.kind === 'user' && viewer.userId === user.id)
      throw forbidden('Nobody may change their own membership; ask another member of staff.');
    if (!mayChangeMembership(viewer, user)) {
      if (maySee(viewer, user)) throw forbidden('Only the staff of the gym may change a membership.');
      throw notFound('user', user.id);
    }
    if (user.role !== Role.MEMBER && !isSuperAdmin(viewer))
      throw forbidden('Only a SUPER_ADMIN may change the membership of an admin.');
  }

  /**
   * A membership begins only in an active gym. The gym service is asked before the transaction, so that no transaction is
   * open while this service waits for the answer.
   * @returns whether the gym service was asked; false if no membership would begin
   */
  private async requireGymIfBegins(
    userId: string,
    viewer: UserViewer | ClientViewer,
    status: MembershipStatus,
  ): Promise<boolean> {
    if (status !== 'ACTIVE' || !isUuid(userId)) return false;
    const [user] = await this.unit.em.fork().find(User, { id: userId });
    if (!user) return false;
    this.requireMayChange(viewer, user);
    const membership = membershipOf(user);
    if (!membership || belongs(membership.status)) return false;
    await this.gyms.requireJoinable(membership.gymId);
    return true;
  }
}

const hasTerms = (
  { membershipUntil, membershipReason }: User,
  { end, reason }: { end: Date | null; reason: string | null },
): boolean => membershipUntil?.getTime() === end?.getTime() && (membershipReason ?? null) === reason;

/**
 * The membership of a user who joins a gym by themselves, by the policy of the gym.
 * @param emailVerifiedAt null if the user has not verified their email
 * @throws INVITATION_REQUIRED
 */
export function joining(gymId: string, policy: JoinPolicy, emailVerifiedAt: Date | null): NewMembership {
  if (policy === 'INVITE')
    throw new PlatformError(
      'INVITATION_REQUIRED',
      'This gym admits only people whom it has invited. If it has invited you and you have no account yet, set your password ' +
        'with the token of its mail; if you have an account, verify its email address, and then join the gym. Otherwise ask ' +
        'the staff of the gym for an invitation.',
    );
  if (policy === 'APPROVAL') return { gymId, status: 'PENDING', awaits: 'APPROVAL' };
  if (policy === 'VERIFIED_EMAIL' && !emailVerifiedAt) return { gymId, status: 'PENDING', awaits: 'EMAIL' };
  return { gymId, status: 'ACTIVE' };
}
