import { PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import { changeMembership, lockedUser } from '../memberships/change-membership.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import type { User } from '../users/user.entity.ts';

/** Whether a gym admits a user with a verified email. */
export interface Admission {
  /** The gym to which the user has applied, if their membership waits for a verified email; else null. */
  gymId: string | null;
  /** UNKNOWN if `gymId` is null, or the gym service does not answer. */
  verdict: 'ADMITTED' | 'REFUSED' | 'UNKNOWN';
}

/** Memberships that become ACTIVE once the email of the user is verified. */
export class Admissions {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
  }

  /**
   * Whether the gym to which the user has applied admits them: its policy may have become stricter since then. Call this before
   * the transaction, because it calls the gym service. If that fails, nothing is thrown, so that the email is still verified.
   */
  async of(userId: string): Promise<Admission> {
    const [user] = await this.unit.em.execute<{ gymId: string | null }[]>(
      `select membership_gym_id as "gymId" from user_account where id = ? and membership_awaits = 'EMAIL'`,
      [userId],
    );
    const gymId = user?.gymId ?? null;
    if (!gymId) return { gymId, verdict: 'UNKNOWN' };
    try {
      const policy = await this.gyms.policyOf(gymId);
      return { gymId, verdict: policy === 'OPEN' || policy === 'VERIFIED_EMAIL' ? 'ADMITTED' : 'REFUSED' };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { gymId, verdict: error.code === 'CONFLICT' ? 'REFUSED' : 'UNKNOWN' }; // CONFLICT: the gym is not active
    }
  }

  /**
   * Makes the membership of a locked user ACTIVE if it waited for the verified email.
   * @returns false if this must be decided later, because the gym service did not answer or the user has applied to another gym
   * meanwhile
   */
  async admit(user: User, { gymId, verdict }: Admission): Promise<boolean> {
    if (user.membershipAwaits !== 'EMAIL' || !user.membershipGymId || !user.emailVerifiedAt) return true;
    if (verdict === 'UNKNOWN' || gymId !== user.membershipGymId) return false;
    if (verdict === 'REFUSED') return true;
    await this.audit.record('MEMBERSHIP_CHANGED', user.id, { gymId, from: 'PENDING', to: 'ACTIVE' });
    await changeMembership(this.unit, user, { gymId, status: 'ACTIVE' });
    return true;
  }

  /**
   * Decides about a user who verified their email while the gym service did not answer.
   * @throws UPSTREAM_UNAVAILABLE if it still does not answer; NOT_FOUND if the account was deleted
   */
  async admitLater(userId: string): Promise<void> {
    const admission = await this.of(userId);
    await this.unit.transaction(async () => {
      if (!(await this.admit(await lockedUser(this.unit, userId), admission)))
        throw new PlatformError('UPSTREAM_UNAVAILABLE', 'The gym service does not answer.');
    });
  }
}
