import { PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import { changeMembership, lockedUser } from '../memberships/change-membership.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import type { User } from '../users/user.entity.ts';

/** Whether a gym admits a user with a verified email; UNKNOWN while the gym service does not answer. */
export interface Admission {
  gymId: string | null;
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
   * Whether the gym to which the user has applied admits them: its policy may have become stricter since then. It calls the gym
   * service, so call it before the transaction. Never throws because of the gym service, so that no proof of an email is lost.
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
   * @returns false if this has to be decided later: the gym service did not answer, or the user has applied to another gym
   */
  async admit(user: User, { gymId, verdict }: Admission): Promise<boolean> {
    if (user.membershipAwaits !== 'EMAIL' || !user.membershipGymId || !user.emailVerifiedAt) return true;
    if (verdict === 'UNKNOWN' || gymId !== user.membershipGymId) return false;
    if (verdict === 'REFUSED') return true;
    await this.audit.record('MEMBERSHIP_CHANGED', user.id, { gymId, from: 'PENDING', to: 'ACTIVE' });
    await changeMembership(this.unit, user, { gymId, status: 'ACTIVE' });
    return true;
  }

  /** Admits a user who verified their email while the gym service did not answer. @throws UPSTREAM_UNAVAILABLE, NOT_FOUND */
  async admitLater(userId: string): Promise<void> {
    const admission = await this.of(userId);
    await this.unit.transaction(async () => {
      if (!(await this.admit(await lockedUser(this.unit, userId), admission)))
        throw new PlatformError('UPSTREAM_UNAVAILABLE', 'The gym service does not answer.');
    });
  }
}
