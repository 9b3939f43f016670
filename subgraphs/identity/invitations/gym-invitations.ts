import { Role } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Units } from '../users/user.entity.ts';
import { GymInvitation } from './gym-invitation.entity.ts';
import type { InvitedUserShape } from './invitations.shapes.ts';
import { mailGymInvitation } from './mail-gym-invitation.ts';

/** The shortest time between two mails of an invitation, so that there are at most five per hour. */
const BETWEEN_MAILS_MILLIS = 12 * 60_000; // 12 min

interface Invitee {
  email: string;
  displayName: string;
  gymId: string;
}

/**
 * Invites a user who has an account and belongs to no gym. The result has only what the inviting staff have sent, and the id of
 * the invitation: they must not learn who has the account before the user has accepted. Its other fields are those of a new
 * account without a gym.
 * @returns undefined if no such user has this email
 * @throws CONFLICT if the gym has invited them already
 */
export async function inviteAccount(
  unit: UnitOfWork,
  { email, displayName, gymId }: Invitee,
): Promise<InvitedUserShape | undefined> {
  const [user] = await unit.em.execute<{ id: string }[]>(
    `select id from user_account where lower(email) = lower(?) and role = ? and gym_id is null and password_hash is not null
     for update`,
    [email, Role.MEMBER],
  );
  if (!user) return undefined;
  const now = new Date();
  const id = uuidv7();
  const rows = await unit.em.execute<unknown[]>(
    `insert into gym_invitation (id, user_id, gym_id, display_name, created_at, requested_at) values (?, ?, ?, ?, ?, ?)
     on conflict (user_id, gym_id) do nothing returning 1`,
    [id, user.id, gymId, displayName, now, now],
  );
  if (rows.length === 0)
    throw conflict('Your gym has invited this user already; send the invitation again, or withdraw it.', {
      errors: [{ path: 'email', message: 'is invited already' }],
    });
  await addJob(unit.em, mailGymInvitation, { invitationId: id, userId: user.id });
  const at = now.toISOString();
  return {
    id,
    userId: id,
    email,
    displayName,
    bio: null,
    role: Role.MEMBER,
    gymId: null,
    avatar: null,
    locale: 'en',
    timezone: 'UTC',
    units: Units.METRIC,
    version: 1,
    createdAt: at,
    updatedAt: at,
    sentAt: null,
    expiresAt: null,
  };
}

/**
 * Deletes the invitation of a user into a gym, because they accept it. The calling code has locked the user's row.
 * @returns whether there was an invitation that had not expired; an expired one stays
 */
export async function acceptInvitation(unit: UnitOfWork, userId: string, gymId: string): Promise<boolean> {
  const accepted = await unit.em.execute<unknown[]>(
    `delete from gym_invitation where user_id = ? and gym_id = ? and (expires_at is null or expires_at > now()) returning 1`,
    [userId, gymId],
  );
  return accepted.length > 0;
}

/** Locks the invitation of a user who has an account; undefined if there is no such invitation. */
export async function lockedInvitation(unit: UnitOfWork, id: string): Promise<GymInvitation | undefined> {
  const [row] = await unit.em.execute<{ id: string }[]>(
    'select id from gym_invitation where id = ? for update',
    [id],
  );
  return row ? ((await unit.em.findOne(GymInvitation, { id }, { refresh: true })) ?? undefined) : undefined;
}

/**
 * Requests the mail of an invitation again, unless the latest one was requested less than `BETWEEN_MAILS_MILLIS` ago.
 * @returns whether the mail was requested
 */
export async function mailAgain(unit: UnitOfWork, invitation: GymInvitation): Promise<boolean> {
  const now = new Date();
  if (now.getTime() - invitation.requestedAt.getTime() < BETWEEN_MAILS_MILLIS) return false;
  invitation.requestedAt = now;
  await addJob(unit.em, mailGymInvitation, { invitationId: invitation.id, userId: invitation.userId });
  return true;
}
