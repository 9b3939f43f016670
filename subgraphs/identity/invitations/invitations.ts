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
   * @throws CONFLICT for the email of any other account; FORBIDDEN, GYM_REQUIRED; the errors of `requireJoinable`
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
   * The user whom a service has invited with this id; null if there is none. A simultaneous request with the same id waits for
   * the lock, and then finds the user.
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
      `(${INVITED_ACCOUNTS} where password_hash is null ${gymId ? 'and gym_id = ?' : ''} ${after ? 'and user_account.id > ?' : ''}
        order by user_account.id limit ?)
       union all
       (${GYM_INVITATIONS} where true ${gymId ? 'and invitation.gym_id = ?' : ''} ${after ? 'and invitation.id > ?' : ''}
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
   * Sends the mail again. If the invitation has created the account, the mail has a new token. A user who had an account before
   * gets no mail if the latest one was requested less than 12 min ago.
   * @param id of the account that the invitation has created, or of the `GymInvitation`
   * @throws NOT_FOUND also for another gym's invitation; CONFLICT if the user has set a password
   */
  async resend(id: string): Promise<InvitationShape> {
    const { viewer } = this.unit;
    requireStaffOrService(viewer);
    return this.unit.transaction(async () => {
      const gymInvitation = await this.lockedGymInvitation(id);
      if (gymInvitation) {
        if (await mailAgain(this.unit, gymInvitation))
          await this.audit.record('INVITATION_SENT_AGAIN', null, idsOf(gymInvitation));
        await this.unit.em.flush();
        const [row] = await this.unit.em.execute<InvitationRow[]>(
          `${GYM_INVITATIONS} where invitation.id = ?`,
          [id],
        );
        if (row) return present(row);
      }
      await this.lockInvitedAccount(id);
      const [row] = await this.unit.em.execute<InvitationRow[]>(
        `${INVITED_ACCOUNTS} where user_account.id = ?`,
        [id],
      );
      if (!row) throw notFound('invitation', id);
      await this.audit.record('INVITATION_SENT_AGAIN', id);
      await requestPasswordMail(this.unit, row.email, ResetPurpose.INVITATION);
      return present(row);
    });
  }

  /**
   * Withdraws an open invitation. An account that the invitation has created is deleted, also in the other services, because
   * staff may have booked for the invited person, or checked them in.
   * @param id as of `resend`
   * @throws the errors of `resend`
   */
  async withdraw(id: string): Promise<void> {
    const { viewer } = this.unit;
    requireStaffOrService(viewer);
    await this.unit.transaction(async () => {
      const gymInvitation = await this.lockedGymInvitation(id);
      if (gymInvitation) {
        await this.unit.em.execute('delete from gym_invitation where id = ?', [id]);
        return this.audit.record('INVITATION_WITHDRAWN', null, idsOf(gymInvitation));
      }
      await this.lockInvitedAccount(id);
      const user = await this.unit.em.findOneOrFail(User, { id }, { refresh: true });
      await recordMemberChange(this.unit, memberOf(this.unit, user), null);
      await this.audit.record('INVITATION_WITHDRAWN', id); // before the deletion: the record gets its gym from the account
      await eraseOwnPart(this.unit, user);
      // A service withdraws an invitation when a deployment of the wizard is undone. No other service has data about the account
      // then. The deployment may run again and create the account with the same id, which services that have erased it refuse.
      if (viewer.kind !== 'service') await startErasure(this.unit, this.sagas, id, []);
    });
  }

  /** Locks the `GymInvitation` with this id; undefined if there is none. @throws NOT_FOUND for another gym's invitation */
  private async lockedGymInvitation(id: string): Promise<GymInvitation | undefined> {
    const invitation = isUuid(id) ? await lockedInvitation(this.unit, id) : undefined;
    if (invitation && !mayManage(this.unit.viewer, invitation)) throw notFound('invitation', id);
    return invitation;
  }

  /**
   * Locks an account that an invitation has created, so that the invitation is not accepted in the meantime.
   * @throws NOT_FOUND also if the viewer may not manage the account; CONFLICT if its user has set a password
   */
  private async lockInvitedAccount(userId: string): Promise<void> {
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
 * Users with the latest mail of their invitation; the caller adds the condition. The times of a mail are null after 8 days, when
 * its row is removed; its token works for 7 days.
 */
const INVITED_ACCOUNTS = `
  select user_account.id, email, display_name as "displayName", role, gym_id as "gymId", created_at as "createdAt",
         mail.sent_at as "sentAt", mail.expires_at as "expiresAt"
  from user_account
  left join lateral (
    select sent_at, expires_at from password_reset
    where user_id = user_account.id and purpose = 'INVITATION' and sent_at is not null
    order by sent_at desc limit 1
  ) as mail on true`;

/** Invitations of users who had an account before; the caller adds the condition. */
const GYM_INVITATIONS = `
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

/** The gym, whose staff see the audit record, and the invitation. */
const idsOf = ({ id, gymId }: GymInvitation) => ({ invitationId: id, gymId });

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
