import { belongs, type MembershipAwaits, type MembershipStatus } from './membership-status.ts';

/** The columns of a user that describe their membership. */
export interface MembershipColumns {
  gymId?: string | null | undefined;
  membershipGymId?: string | null | undefined;
  membershipStatus?: MembershipStatus | null | undefined;
  membershipSince?: Date | string | null | undefined;
  membershipUntil?: Date | string | null | undefined;
  membershipReason?: string | null | undefined;
}

export interface Membership {
  gymId: string;
  status: MembershipStatus;
  /** When the membership got this status. */
  since: string;
  /** When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again; null if no such date is set. */
  until: string | null;
  reason: string | null;
}

/**
 * The membership at the time `now`, in milliseconds since 1970; null if there never was one. A membership whose `until` has
 * passed has its next status, even if the job has not stored it yet.
 */
export function membershipOf(user: MembershipColumns, now = Date.now()): Membership | null {
  const { membershipGymId: gymId, membershipStatus: status, membershipReason } = user;
  if (!gymId || !status || !user.membershipSince) return null;
  const until = user.membershipUntil ? new Date(user.membershipUntil) : null;
  const reason = membershipReason ?? null;
  const next = until && until.getTime() <= now ? afterUntil(status) : null;
  if (until && next) return { gymId, status: next, since: until.toISOString(), until: null, reason };
  const since = new Date(user.membershipSince).toISOString();
  return { gymId, status, since, until: until?.toISOString() ?? null, reason };
}

/** The status that follows this one when `until` has passed; null if none follows. */
export const afterUntil = (status: MembershipStatus): 'ACTIVE' | 'ENDED' | null =>
  status === 'FROZEN' ? 'ACTIVE' : status === 'ACTIVE' ? 'ENDED' : null;

/** The gym that a user belongs to at this moment; null while the membership is PENDING or ENDED. */
export function gymOf(user: MembershipColumns): string | null {
  const membership = membershipOf(user);
  return membership && belongs(membership.status) ? membership.gymId : null;
}

/** A membership to store. */
export interface NewMembership {
  gymId: string;
  status: MembershipStatus;
  /** Default: now. */
  since?: Date;
  until?: Date | null;
  reason?: string | null;
  awaits?: MembershipAwaits | null;
}

/** The values of a user's columns for this membership. */
export const columnsOfMembership = (membership: NewMembership | null) => ({
  gymId: membership && belongs(membership.status) ? membership.gymId : null,
  membershipGymId: membership?.gymId ?? null,
  membershipStatus: membership?.status ?? null,
  membershipSince: membership ? (membership.since ?? new Date()) : null,
  membershipUntil: membership?.until ?? null,
  membershipReason: membership?.reason ?? null,
  membershipAwaits: membership?.awaits ?? null,
});
