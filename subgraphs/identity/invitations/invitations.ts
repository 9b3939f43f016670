import {
  isSuperAdmin,
  requireGym,
  requireGymAdmin,
  requireRole,
  Role,
  type Viewer,
} from '#server/auth/viewer.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { mayManage, requireStaffOrService } from '../access.ts';
import { eraseOwnPart, startErasure } from '../accounts/erase-account.ts';
import type { Audit } from '../audit/audit.ts';
import type { GymInvitation } from './gym-invitation.entity.ts';
import { inviteAccount, lockedInvitation, mailAgain } from './gym-invitations.ts';
import { ResetPurpose } from '../password-resets/password-reset.entity.ts';
import { requestPasswordMail } from '../password-resets/request-password-mail.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { insertUser } from '../users/insert-user.ts';
import { memberOf, recordMemberChange } from '../users/member-events.ts';
import { User } from '../users/user.entity.ts';
import { presentUser } from '../users/present-user.ts';
import {
  InvitationsFilter,
  InviteUserInput,
  type InvitationShape,
  type InvitedUserShape,
} from './invitations.shapes.ts';

const cursors = cursorsOf('invitations', z.tuple([uuid()]));

/**
 * Accounts that one user creates for another, who sets the password with the token of a mail. Until then the account is an
 * open invitation, which the admins of its gym can see, send again and withdraw. If the other user has an account already,
 * the invitation is a `GymInvitation`.
 */
export class Invitations {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;
  private readonly sagas: Sagas;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers, sagas: Sagas) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
    this.sagas = sagas;
  }

  /**
   * A GYM_ADMIN invites members into their gym; a SUPER_ADMIN and services invite anybody, but only a SUPER_ADMIN invites
   * another SUPER_ADMIN. A member who has an account without a gym accepts by joining the gym.
   * @throws CONFLICT for the email of any other account
   */
  async invite(input: unknown): Promise<InvitedUserShape> {
    const { viewer } = this.unit;
    const {
      id,
      email,
      displayName,
      role = Role.MEMBER,
      gymId = null,
    } = withoutNulls(validated(InviteUserInput, input));
    const gym = gymOfInvitation(viewer, role, gymId);
    const chosenId = viewer.kind === 'service' && id ? id : undefined;
    // A service invites into a gym that it is about to create and that nobody else can see yet.
    if (viewer.kind !== 'service') await this.gyms.requireJoinable(gym);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gym);
      const invited = chosenId ? await this.invitedBefore(chosenId) : null;
      if (invited) return this.presentInvited(invited);
      const account =
        gym && role === Role.MEMBER && (await inviteAccount(this.unit, { email, displayName, gymId: gym }));
      if (account) {
        await this.audit.record('USER_INVITED', null, { role, gymId: gym, invitationId: account.id });
        return account;
      }
      const user = await insertUser(this.unit, {
        id: chosenId,
        email,
        passwordHash: null,
        displayName,
        role,
        membership: gym ? { gymId: gym, status: 'ACTIVE' } : null,
      });
      await this.audit.record('USER_INVITED', user.id, { role, gymId: gym });
      await requestPasswordMail(this.unit, email, ResetPurpose.INVITATION);
      return this.presentInvited(user);
    });
  }

  /**
   * The user whom a service has invited with this id. The lock lets a simultaneous request with the same id wait, and then
   * find the user.
   */
  private async invitedBefore(id: string): Promise<User | null> {
    const { em } = this.unit;
    await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`invitation ${id}`]);
    return em.findOne(User, { id });
  }

  private presentInvited(user: User): InvitedUserShape {
    const shown = presentUser(this.unit, user);
    return { ...shown, userId: shown.id, sentAt: null, expiresAt: null };
  }

  /** Open invitations, the oldest first: of their own gym for a GYM_ADMIN, of all gyms or one for a SUPER_ADMIN. */
  async list(filter: unknown, request: PageRequest): Promise<Page<InvitationShape>> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId: requested } = validated(InvitationsFilter, filter);
    const gymId = isSuperAdmin(viewer) ? requested : requireGym(viewer, requested);
    const [after] = cursors.read(request.cursor) ?? [];
    const count = pageSize(request) + 1;
    const values = [...(gymId ? [gymId] : []), ...(after ? [after] : []), count];
    const rows = await this.unit.em.execute<InvitationRow[]>(
      `(${INVITATIONS} where password_hash is null ${gymId ? 'and gym_id = ?' : ''} ${after ? 'and user_account.id > ?' : ''}
        order by user_account.id limit ?)
       union all
       (${OF_ACCOUNTS} where true ${gymId ? 'and invitation.gym_id = ?' : ''} ${after ? 'and invitation.id > ?' : ''}
        order by invitation.id limit ?)
       order by id limit ?`,
      [...values, ...values, count],
    );
    return mapPage(
      cursors.page(rows, request, ({ id }) => [id]),
      present,
    );
  }

  /**
   * Sends the mail again. The mail to an account without a password has a new token. A user with an account gets no mail if
   * the latest one was requested less than 12 min ago.
   * @throws NOT_FOUND also for another gym's invitation; CONFLICT if the user has set a password
   */
  async resend(userId: string): Promise<InvitationShape> {
    const { viewer } = this.unit;
    requireStaffOrService(viewer);
    return this.unit.transaction(async () => {
      const ofAccount = await this.ofAccount(userId);
      if (ofAccount) {
        if (await mailAgain(this.unit, ofAccount))
          await this.audit.record('INVITATION_SENT_AGAIN', null, { invitationId: userId });
        await this.unit.em.flush();
        const [row] = await this.unit.em.execute<InvitationRow[]>(`${OF_ACCOUNTS} where invitation.id = ?`, [
          userId,
        ]);
        if (row) return present(row);
      }
      await this.locked(userId);
      const [row] = await this.unit.em.execute<InvitationRow[]>(`${INVITATIONS} where user_account.id = ?`, [
        userId,
      ]);
      if (!row) throw notFound('invitation', userId);
      await this.audit.record('INVITATION_SENT_AGAIN', userId);
      await requestPasswordMail(this.unit, row.email, ResetPurpose.INVITATION);
      return present(row);
    });
  }

  /**
   * Withdraws an open invitation, and deletes the account that was created for it. The other services erase it, too, because
   * staff may already have booked or checked in for the invited person.
   * @throws the errors of `resend`
   */
  async withdraw(userId: string): Promise<void> {
    const { viewer } = this.unit;
    requireStaffOrService(viewer);
    await this.unit.transaction(async () => {
      const ofAccount = await this.ofAccount(userId);
      if (ofAccount) {
        await this.unit.em.execute('delete from gym_invitation where id = ?', [userId]);
        return this.audit.record('INVITATION_WITHDRAWN', null, { invitationId: userId });
      }
      await this.locked(userId);
      const user = await this.unit.em.findOneOrFail(User, { id: userId }, { refresh: true });
      await recordMemberChange(this.unit, memberOf(this.unit, user), null);
      await eraseOwnPart(this.unit, user);
      // A service withdraws the invitation of a deployment that is undone. Nothing was done with this account elsewhere, and
      // the deployment may invite it again with the same id, which services that had erased it would refuse.
      if (viewer.kind !== 'service') await startErasure(this.unit, this.sagas, userId, []);
      await this.audit.record('INVITATION_WITHDRAWN', userId);
    });
  }

  /** Locks the invitation of a user who has an account. @throws NOT_FOUND also for another gym's invitation */
  private async ofAccount(id: string): Promise<GymInvitation | undefined> {
    const invitation = isUuid(id) ? await lockedInvitation(this.unit, id) : undefined;
    if (invitation && !mayManage(this.unit.viewer, invitation)) throw notFound('invitation', id);
    return invitation;
  }

  /** Locks an invitation that the viewer may change, so that it is not accepted in the meantime. */
  private async locked(userId: string): Promise<void> {
    const { viewer } = this.unit;
    const [user] = isUuid(userId)
      ? await this.unit.em.execute<{ isAccepted: boolean; gymId: string | null }[]>(
          'select password_hash is not null as "isAccepted", gym_id as "gymId" from user_account where id = ? for update',
          [userId],
        )
      : [];
    if (!user || !mayManage(viewer, user)) throw notFound('invitation', userId);
    if (user.isAccepted)
      throw conflict('This invitation has been accepted; the account belongs to its user.');
  }
}

/**
 * Users with the latest mail of their invitation; the caller adds the condition. The row of a mail is removed 8 days after it
 * was requested; its token works for 7 days.
 */
const INVITATIONS = `
  select user_account.id, email, display_name as "displayName", role, gym_id as "gymId", created_at as "createdAt",
         mail.sent_at as "sentAt", mail.expires_at as "expiresAt"
  from user_account
  left join lateral (
    select sent_at, expires_at from password_reset
    where user_id = user_account.id and purpose = 'INVITATION' and sent_at is not null
    order by sent_at desc limit 1
  ) as mail on true`;

/** Invitations of users who have an account. */
const OF_ACCOUNTS = `
  select invitation.id, email, invitation.display_name as "displayName", role, invitation.gym_id as "gymId",
         invitation.created_at as "createdAt", sent_at as "sentAt", expires_at as "expiresAt"
  from gym_invitation as invitation join user_account on user_account.id = invitation.user_id`;

interface InvitationRow {
  id: string;
  email: string;
  displayName: string;
  role: Role;
  gymId: string | null;
  createdAt: Date | string;
  sentAt: Date | string | null;
  expiresAt: Date | string | null;
}

const timeOf = (time: Date | string): string => new Date(time).toISOString();

const present = ({ id, createdAt, sentAt, expiresAt, ...row }: InvitationRow): InvitationShape => ({
  id,
  userId: id,
  ...row,
  createdAt: timeOf(createdAt),
  sentAt: sentAt && timeOf(sentAt),
  expiresAt: expiresAt && timeOf(expiresAt),
});

/** The gym of the invited user. @throws FORBIDDEN, GYM_REQUIRED if the viewer may not invite a user with this role into this gym */
function gymOfInvitation(viewer: Viewer, role: Role, gymId: string | null): string | null {
  if (viewer.kind === 'service') {
    if (role === Role.SUPER_ADMIN) throw forbidden('Only a SUPER_ADMIN may invite a SUPER_ADMIN.');
    return gymId;
  }
  const user = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  if (user.role === Role.SUPER_ADMIN) return gymId;
  if (role !== Role.MEMBER)
    throw forbidden('A GYM_ADMIN may invite only members; ask a SUPER_ADMIN to invite an admin.');
  return requireGymAdmin(viewer, gymId);
}

const withoutNulls = <Shape extends { role?: Role | null | undefined; gymId?: string | null | undefined }>(
  shape: Shape,
) => ({
  ...shape,
  role: shape.role ?? undefined,
  gymId: shape.gymId ?? undefined,
});
