/** The states of a membership of a gym. */
export const MembershipStatus = {
  /** The user has applied. The gym admits them once they have verified their email, or once its staff agree. */
  PENDING: 'PENDING',
  ACTIVE: 'ACTIVE',
  /** The user still belongs to the gym, but may not check in or book. */
  FROZEN: 'FROZEN',
  ENDED: 'ENDED',
} as const;
export type MembershipStatus = (typeof MembershipStatus)[keyof typeof MembershipStatus];

/** What a PENDING membership waits for, which depends on the policy of the gym when the user applied. */
export const MembershipAwaits = { EMAIL: 'EMAIL', APPROVAL: 'APPROVAL' } as const;
export type MembershipAwaits = (typeof MembershipAwaits)[keyof typeof MembershipAwaits];

/** Whether a user with this status belongs to the gym, and sees what belongs to it. */
export const belongs = (status: MembershipStatus | null | undefined): boolean =>
  status === 'ACTIVE' || status === 'FROZEN';

/** The states to which staff may change a membership. At `until` a job changes FROZEN to ACTIVE, and ACTIVE to ENDED. */
const TRANSITIONS: Readonly<Record<MembershipStatus, readonly MembershipStatus[]>> = {
  PENDING: ['ACTIVE', 'ENDED'],
  ACTIVE: ['FROZEN', 'ENDED'],
  FROZEN: ['ACTIVE', 'ENDED'],
  ENDED: ['ACTIVE'],
};

/** Whether staff may change a membership in this way. With the same status, only `until` and `reason` change. */
export const mayBecome = (from: MembershipStatus, to: MembershipStatus): boolean =>
  (from === to && from !== 'PENDING') || TRANSITIONS[from].includes(to);

/** SQL: the constraint by which the columns of a membership and `gym_id` agree with each other. */
export const MEMBERSHIP_CHECK =
  `("membership_gym_id" is null and "membership_status" is null and "membership_since" is null and "gym_id" is null)` +
  ` or ("membership_gym_id" is not null and "membership_since" is not null and "membership_status" is not null` +
  ` and (("gym_id" is not null and "gym_id" = "membership_gym_id" and ("membership_status" = 'ACTIVE' or "membership_status" = 'FROZEN'))` +
  ` or ("gym_id" is null and ("membership_status" = 'PENDING' or "membership_status" = 'ENDED'))))`;
