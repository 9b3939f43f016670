import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

const UserAnswer = z.object({ gymId: z.string().nullable() });

/** Whether users are members of a gym. Identity decides; the token of a member proves it for themselves. */
export class Memberships {
  private readonly unit: UnitOfWork;
  private readonly identity: ServiceCalls;

  constructor(unit: UnitOfWork, identity: ServiceCalls) {
    this.unit = unit;
    this.identity = identity;
  }

  /** Call it outside of a transaction, because it may call identity. @throws MEMBERSHIP_INACTIVE */
  async requireActive(gymId: string, userId: string): Promise<void> {
    const { viewer, origin } = this.unit;
    if (viewer.kind === 'user' && viewer.userId === userId && viewer.gymId === gymId) return;
    const gymOfUser = await this.gymOf(userId, origin);
    if (gymOfUser !== gymId)
      throw new PlatformError('MEMBERSHIP_INACTIVE', 'This user has no active membership in the gym.');
  }

  private async gymOf(userId: string, origin: UnitOfWork['origin']): Promise<string | null> {
    try {
      const user = await this.identity.call({
        method: 'GET',
        path: `/users/${userId}`,
        as: 'service',
        origin,
      });
      return UserAnswer.parse(user).gymId;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }
}
