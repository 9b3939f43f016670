import { squads } from '../squads/squad.journal.ts';
import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import { presentInvite, type InviteShape, type StoredInvite } from './invites.shapes.ts';

/**
 * An invite stands in three journals: the receiver's, whose word counts, the squad's, where it is the right to enter,
 * and the sender's. Rights are taken before they are shown as taken, and shown as given before they are used.
 */
export async function closeInvite(
  journals: Journals,
  invite: InviteShape,
  status: 'ACCEPTED' | 'DECLINED' | 'REVOKED',
): Promise<StoredInvite | undefined> {
  let closed: StoredInvite | undefined;
  if (status !== 'ACCEPTED')
    await journals
      .of(squads)
      .change(invite.squadId, (squad) =>
        squad.status !== 'NONE' && squad.invited[invite.toUserId]?.inviteId === invite.id
          ? [{ type: 'uninvited', userId: invite.toUserId }]
          : [],
      );
  await journals.of(users).change(invite.toUserId, ({ received }) => {
    const stored = received.find(({ id }) => id === invite.id);
    closed = undefined;
    if (!stored || presentInvite(stored).status !== 'PENDING') return [];
    closed = { ...stored, status, respondedAt: new Date().toISOString() };
    return [{ type: 'received', invite: closed }];
  });
  const told = closed;
  if (!told) return undefined;
  if (status === 'ACCEPTED') {
    await journals.of(squads).change(told.squadId, (squad) => {
      const invited = squad.status === 'NONE' ? undefined : squad.invited[told.toUserId];
      return invited?.status === 'PENDING'
        ? [{ type: 'invited', userId: told.toUserId, invited: { ...invited, status: 'ACCEPTED' } }]
        : [];
    });
  }
  await journals.of(users).change(told.fromUserId, () => [{ type: 'sent', invite: told }]);
  return told;
}

/** Closes those of a user's open invites, received or sent, that fit. */
export async function closeInvites(
  journals: Journals,
  userId: string,
  status: 'ACCEPTED' | 'DECLINED' | 'REVOKED',
  fits: (invite: StoredInvite) => boolean,
): Promise<void> {
  const user = await journals.of(users).read(userId);
  const candidates = status === 'REVOKED' ? user.sent : user.received;
  for (const invite of candidates)
    if (invite.status === 'PENDING' && fits(invite)) await closeInvite(journals, invite, status);
}
