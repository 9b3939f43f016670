import type { StoredInvite } from '../invites/invites.shapes.ts';

/** An invite in its squad's journal, where it is decided. */
export interface SquadInvite extends StoredInvite {
  /**
   * True if an ACCEPTED invite no longer lets its receiver enter: they have left or were removed, or a block is between
   * the two.
   */
  readonly isSpent: boolean;
}

/** An invite in a journal of the previous version, which has at most one for each invitee. */
export interface LegacyInvited {
  readonly inviteId: string;
  readonly fromUserId: string;
  readonly status: 'PENDING' | 'ACCEPTED';
  readonly expiresAt: string;
}

/** The maximum number of invites that are kept although they no longer let anybody enter. */
const KEPT_CLOSED_INVITES = 200;
/** The lifetime of every invite of the previous version, which did not store when it was sent. */
const LEGACY_LIFETIME_MILLIS = 600_000; // 10 min

export const isOpen = (invite: StoredInvite, now = Date.now()): boolean =>
  invite.status === 'PENDING' && Date.parse(invite.expiresAt) > now;

/** Whether the invite lets its receiver enter a squad that has not ended. */
const letsEnter = (invite: SquadInvite, now = Date.now()): boolean =>
  !invite.isSpent && (invite.status === 'ACCEPTED' || isOpen(invite, now));

/** Whether the person has an invite that lets them enter the squad. */
export const isInvited = (
  { invites }: { readonly invites: readonly SquadInvite[] },
  userId: string,
  now = Date.now(),
): boolean => invites.some((invite) => invite.toUserId === userId && letsEnter(invite, now));

/** Adds an invite. Of the invites that no longer let anybody enter, the oldest are dropped if there are too many. */
export function withInvite(invites: readonly SquadInvite[], invite: StoredInvite): readonly SquadInvite[] {
  const at = Date.parse(invite.createdAt);
  const excess = invites.filter((one) => !letsEnter(one, at)).length - KEPT_CLOSED_INVITES + 1;
  let dropped = 0;
  const kept = invites.filter(
    (one) => one.id !== invite.id && (letsEnter(one, at) || ++dropped > Math.max(0, excess)),
  );
  return [...kept, { ...invite, isSpent: false }];
}

/** Sets the status of the pending invites for which `fits` is true. */
export const closed = (
  invites: readonly SquadInvite[],
  status: StoredInvite['status'],
  at: string,
  fits: (invite: SquadInvite) => boolean,
): readonly SquadInvite[] =>
  invites.map((invite) =>
    invite.status === 'PENDING' && fits(invite) ? { ...invite, status, respondedAt: at } : invite,
  );

/** Joining accepts the open invites to that user. */
export const acceptedBy = (
  invites: readonly SquadInvite[],
  userId: string,
  at: string,
): readonly SquadInvite[] =>
  closed(invites, 'ACCEPTED', at, (invite) => invite.toUserId === userId && isOpen(invite, Date.parse(at)));

/** Leaving, a removal by the host, and a block end every right to enter; after that a new invite is needed. */
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
