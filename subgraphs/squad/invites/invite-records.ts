import { squads, type SquadState } from '../squads/squad.journal.ts';
import { isOpen, type SquadInvite } from '../squads/squad-invites.ts';
import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import type { InviteStatus, StoredInvite } from './invites.shapes.ts';

/**
 * Returns the new status of an invite; undefined if nothing changes. It is called during a change of the squad's journal, in
 * which answers, revocation, expiry, blocks and the end of the squad are written one after the other. The journals of the
 * sender and the receiver have copies.
 */
type Decide = (invite: SquadInvite, squad: SquadState) => Exclude<InviteStatus, 'PENDING'> | undefined;

/**
 * Gives an invite the status that `decide` returns, and updates the copies. An error of `decide` is thrown.
 * Resolves to the invite; undefined if its squad no longer has it.
 */
export async function decideInvite(
  journals: Journals,
  { id, squadId }: Pick<StoredInvite, 'id' | 'squadId'>,
  decide: Decide,
): Promise<SquadInvite | undefined> {
  const at = new Date().toISOString();
  const squad = await journals.of(squads).change(squadId, (current) => {
    const invite = inviteIn(current, id);
    const status = invite && decide(invite, current as SquadState);
    return status ? [{ type: 'answered', inviteId: id, status, at }] : [];
  });
  const invite = inviteIn(squad, id);
  if (invite) await updateCopies(journals, invite);
  return invite;
}

/** Updates the copies of an invite. A missing copy was erased with an account, or is not written yet by `Invites.send`. */
export async function updateCopies(journals: Journals, invite: SquadInvite): Promise<void> {
  if (invite.status === 'PENDING') return;
  const copy = copyOf(invite);
  for (const [userId, box] of [
    [invite.toUserId, 'received'],
    [invite.fromUserId, 'sent'],
  ] as const)
    await updateCopy(journals, userId, box, copy);
}

/** Writes a user's copy of an invite that is no longer open, if the user has a copy that is still PENDING. */
async function updateCopy(
  journals: Journals,
  userId: string,
  box: 'received' | 'sent',
  invite: StoredInvite,
): Promise<void> {
  await journals
    .of(users)
    .change(userId, (user) =>
      user[box].some(({ id, status }) => id === invite.id && status === 'PENDING')
        ? [{ type: box, invite }]
        : [],
    );
}

/** Updates those PENDING copies of a user's invites that have expired, or whose update was lost by a crash. */
export async function settleInvites(journals: Journals, userId: string): Promise<void> {
  const { received, sent } = await journals.of(users).read(userId);
  for (const copy of [...received, ...sent]) {
    if (copy.status !== 'PENDING') continue;
    const squad = await journals.of(squads).read(copy.squadId);
    const invite = inviteIn(squad, copy.id);
    if (invite && isOpen(invite)) continue;
    if (invite)
      await decideInvite(journals, copy, (current) =>
        current.status === 'PENDING' && !isOpen(current) ? 'EXPIRED' : undefined,
      );
    else await closeCopy(journals, userId, copy);
  }
}

/** Closes a user's open invites that fit: received ones if the status is DECLINED, sent ones if it is REVOKED. */
export async function closeInvites(
  journals: Journals,
  userId: string,
  status: 'DECLINED' | 'REVOKED',
  fits: (invite: StoredInvite) => boolean,
): Promise<void> {
  const user = await journals.of(users).read(userId);
  for (const copy of status === 'REVOKED' ? user.sent : user.received)
    if (copy.status === 'PENDING' && fits(copy))
      await decideInvite(journals, copy, (invite) => (isOpen(invite) ? status : undefined));
}

export const copyOf = ({ isSpent: _unused, ...invite }: SquadInvite): StoredInvite => invite;

const inviteIn = (squad: SquadState | { status: 'NONE' }, inviteId: string): SquadInvite | undefined =>
  squad.status === 'NONE' ? undefined : squad.invites.find(({ id }) => id === inviteId);

/**
 * Closes a copy whose invite is in no squad's journal any more (the journal was removed, or the squad no longer keeps this
 * closed invite), once the copy has expired.
 */
async function closeCopy(journals: Journals, userId: string, copy: StoredInvite): Promise<void> {
  const now = new Date();
  if (Date.parse(copy.expiresAt) > now.getTime()) return;
  const closed: StoredInvite = { ...copy, status: 'EXPIRED', respondedAt: now.toISOString() };
  await updateCopy(journals, userId, copy.toUserId === userId ? 'received' : 'sent', closed);
}
