import type { StoredInvite } from '../invites/invites.shapes.ts';

/** An invite as its squad's journal has it, which alone decides about it. */
export interface SquadInvite extends StoredInvite {
  /**
   * Whether the right to enter is gone although the invite was ACCEPTED: the invitee has left or was put out, or one of
   * the two has blocked the other.
   */
  readonly isSpent: boolean;
}

/** Invites as journals of the previous version have them: one right an invitee. */
export interface LegacyInvited {
  readonly inviteId: string;
  readonly fromUserId: string;
  readonly status: 'PENDING' | 'ACCEPTED';
  readonly expiresAt: string;
}

/** Closed invites that are kept besides the open ones. */
const KEPT_CLOSED_INVITES = 200;
/** What the previous version gave to every invite, which did not keep the time of its sending here. */
const LEGACY_LIFETIME_MILLIS = 600_000; // 10 min

export const isOpen = (invite: StoredInvite, now = Date.now()): boolean =>
  invite.status === 'PENDING' && Date.parse(invite.expiresAt) > now;

/** Whether the invite lets its receiver enter the squad, which is open. */
export const opensDoor = (invite: SquadInvite, now = Date.now()): boolean =>
  !invite.isSpent && (invite.status === 'ACCEPTED' || isOpen(invite, now));

/** With a new invite. Those that decide nothing any more make room for it, the oldest first. */
export function withInvite(invites: readonly SquadInvite[], invite: StoredInvite): readonly SquadInvite[] {
  const at = Date.parse(invite.createdAt);
  const excess = invites.filter((one) => !opensDoor(one, at)).length - KEPT_CLOSED_INVITES + 1;
  let dropped = 0;
  const kept = invites.filter(
    (one) => one.id !== invite.id && (opensDoor(one, at) || ++dropped > Math.max(0, excess)),
  );
  return [...kept, { ...invite, isSpent: false }];
}

/** With another status for those open invites that fit. */
export const closed = (
  invites: readonly SquadInvite[],
  status: StoredInvite['status'],
  at: string,
  fits: (invite: SquadInvite) => boolean,
): readonly SquadInvite[] =>
  invites.map((invite) =>
    invite.status === 'PENDING' && fits(invite) ? { ...invite, status, respondedAt: at } : invite,
  );

/** Joining accepts what is open. */
export const acceptedBy = (
  invites: readonly SquadInvite[],
  userId: string,
  at: string,
): readonly SquadInvite[] =>
  closed(invites, 'ACCEPTED', at, (invite) => invite.toUserId === userId && isOpen(invite, Date.parse(at)));

/** Leaving, being put out, and a block use up every right to enter; it takes a new invite to come in again. */
export const spentFor = (
  invites: readonly SquadInvite[],
  userId: string,
  at: string,
): readonly SquadInvite[] =>
  closed(invites, 'REVOKED', at, (invite) => invite.toUserId === userId).map((invite) =>
    invite.toUserId === userId && invite.status === 'ACCEPTED' ? { ...invite, isSpent: true } : invite,
  );

export const inviteOfLegacy = (
  { inviteId, fromUserId, status, expiresAt }: LegacyInvited,
  toUserId: string,
  { id: squadId, gymId }: { id: string; gymId: string },
): SquadInvite => ({
  id: inviteId,
  squadId,
  gymId,
  fromUserId,
  toUserId,
  message: null,
  status,
  createdAt: new Date(Date.parse(expiresAt) - LEGACY_LIFETIME_MILLIS).toISOString(),
  expiresAt,
  respondedAt: null,
  isSpent: false,
});
