import { squads, type SquadState } from '../squads/squad.journal.ts';
import { isOpen, type SquadInvite } from '../squads/squad-invites.ts';
import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import type { InviteStatus, StoredInvite } from './invites.shapes.ts';

/**
 * An invite stands in one journal, its squad's, together with the answer to it: accepting, revoking, expiring, a block
 * and the end of the squad are decided there, one after the other. The boxes of its two people hold copies.
 */
export type Decide = (invite: SquadInvite, squad: SquadState) => Exclude<InviteStatus, 'PENDING'> | undefined;

/**
 * Closes an invite as `decide` says, if it says so, and brings the copies up to date. What `decide` throws is thrown.
 * Resolves to the invite as it is then; undefined if its squad does not have it any more.
 */
export async function decideInvite(
  journals: Journals,
  { id, squadId }: Pick<StoredInvite, 'id' | 'squadId'>,
  decide: Decide,
): Promise<SquadInvite | undefined> {
  const at = new Date().toISOString();
  const squad = await journals.of(squads).change(squadId, (now) => {
    const invite = inviteIn(now, id);
    const status = invite && decide(invite, now as SquadState);
    return status ? [{ type: 'answered', inviteId: id, status, at }] : [];
  });
  const invite = inviteIn(squad, id);
  if (invite) await showInvite(journals, invite);
  return invite;
}

/** Brings the copies of an invite up to date. A copy that is not there was erased with an account, or is about to be made. */
export async function showInvite(journals: Journals, invite: SquadInvite): Promise<void> {
  if (invite.status === 'PENDING') return;
  const copy = copyOf(invite);
  for (const [userId, box] of [
    [invite.toUserId, 'received'],
    [invite.fromUserId, 'sent'],
  ] as const)
    await journals
      .of(users)
      .change(userId, (user) =>
        user[box].some(({ id, status }) => id === invite.id && status === 'PENDING')
          ? [{ type: box, invite: copy }]
          : [],
      );
}

/**
 * Looks after those of a user's invites whose copies are PENDING: writes down that their time is over, and what a crash
 * kept from being copied.
 */
export async function settleInvites(journals: Journals, userId: string): Promise<void> {
  const { received, sent } = await journals.of(users).read(userId);
  for (const copy of [...received, ...sent]) {
    if (copy.status !== 'PENDING') continue;
    const squad = await journals.of(squads).read(copy.squadId);
    const invite = inviteIn(squad, copy.id);
    if (invite && isOpen(invite)) continue;
    if (invite)
      await decideInvite(journals, copy, (now) =>
        now.status === 'PENDING' && !isOpen(now) ? 'EXPIRED' : undefined,
      );
    else await closeCopy(journals, userId, copy);
  }
}

/** Closes those of a user's open invites, received (DECLINED) or sent (REVOKED), that fit. */
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

/** Its squad was forgotten, or was never opened because of a crash. A younger copy may be ahead of its squad. */
async function closeCopy(journals: Journals, userId: string, copy: StoredInvite): Promise<void> {
  const now = new Date();
  if (Date.parse(copy.expiresAt) > now.getTime()) return;
  const closed: StoredInvite = { ...copy, status: 'EXPIRED', respondedAt: now.toISOString() };
  await journals
    .of(users)
    .change(userId, () => [{ type: copy.toUserId === userId ? 'received' : 'sent', invite: closed }]);
}
