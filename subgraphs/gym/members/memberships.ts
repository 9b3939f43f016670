import { PlatformError } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { FindMemberStates, MembershipShape, MemberState } from './member-states.ts';

/** Memberships of users, which identity stores. One unit of work reads each user at most once. */
export class Memberships {
  private readonly byUser;

  constructor(unit: UnitOfWork, find: FindMemberStates) {
    this.byUser = loaderOf<MemberState>(
      (userIds) => find(userIds, unit.origin),
      ({ userId }) => userId,
    );
  }

  /**
   * The user's membership of this gym at this moment; null if they have none. Batched.
   * @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT while identity does not answer
   */
  async find(gymId: string, userId: string): Promise<MembershipShape | null> {
    const state = await this.byUser.load(userId);
    return state?.membership?.gymId === gymId ? state.membership : null;
  }

  /** Whether the user works at the gym, or for the platform. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT, as `find` */
  async isStaff(gymId: string, userId: string): Promise<boolean> {
    const state = await this.byUser.load(userId);
    return state !== null && isStaffOf(state, gymId);
  }

  /**
   * Requires that the user's membership of this gym is ACTIVE at this moment; staff of the gym need none. It calls another
   * service, so call it before the transaction of the write.
   * @throws MEMBERSHIP_INACTIVE; UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT while identity does not answer
   */
  async requireActive(gymId: string, userId: string): Promise<void> {
    const state = isUuid(userId) ? await this.byUser.load(userId) : null;
    if (state && isStaffOf(state, gymId)) return;
    const membership = state?.membership?.gymId === gymId ? state.membership : null;
    if (membership?.status !== 'ACTIVE') throw inactive(membership);
  }
}

/** Whether the user works at the gym, or for the platform. */
export const isStaffOf = (
  { role, membership }: Pick<MemberState, 'role' | 'membership'>,
  gymId: string,
): boolean =>
  role === 'SUPER_ADMIN' || (role === 'GYM_ADMIN' && membership?.gymId === gymId && belongs(membership));

/** Whether a user with this membership belongs to its gym. */
export const belongs = ({ status }: MembershipShape): boolean => status === 'ACTIVE' || status === 'FROZEN';

/** Why a membership with this status is not enough; empty for ACTIVE, which is enough. */
const EXPLANATIONS: Readonly<Record<MembershipShape['status'], string>> = {
  PENDING: 'it begins once the gym has admitted the user, or once they have verified their email',
  ACTIVE: '',
  FROZEN: 'it is frozen; the staff of the gym can activate it again',
  ENDED: 'it has ended; the staff of the gym can activate it again',
};

/** @param membership the user's membership of the gym; null if they have none */
export const inactive = (membership: MembershipShape | null): PlatformError =>
  new PlatformError(
    'MEMBERSHIP_INACTIVE',
    membership
      ? `This needs an active membership of the gym, and the user's is ${membership.status}: ${EXPLANATIONS[membership.status]}.`
      : 'This needs an active membership of the gym, and the user has none.',
  );
