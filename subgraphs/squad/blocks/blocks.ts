import { requireUser } from '#server/auth/viewer.ts';
import { conflict, invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { closeInvites } from '../invites/invite-records.ts';
import { endSharedTraining } from '../squads/end-shared-training.ts';
import { forgetInUser } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import { MAX_BLOCKED, requireNotErased, users } from '../users/user.journal.ts';

/** Blocks between users. A block hides the two from each other; only the user who has blocked can unblock. */
export class Blocks {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;

  constructor(unit: UnitOfWork, hub: Hub) {
    this.unit = unit;
    this.hub = hub;
  }

  /** Ids of users whom the viewer has blocked. */
  async list(): Promise<string[]> {
    return [...(await this.hub.journals.of(users).read(requireUser(this.unit.viewer).userId)).blocked];
  }

  /**
   * Blocks the other user, closes the open invites between the two, and ends their training together.
   * @throws CONFLICT if the viewer has blocked as many users as they may
   */
  async block(otherId: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    if (otherId === userId) throw invalid('userId', 'expected another user, not yourself');
    const { journals } = this.hub;
    await journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      if (user.blocked.includes(otherId)) return [];
      if (user.blocked.length >= MAX_BLOCKED)
        throw conflict(`You have blocked ${MAX_BLOCKED} users; unblock others before you block more.`);
      return [{ type: 'blocked', userId: otherId }];
    });
    await journals
      .of(users)
      .change(otherId, ({ blockedBy }) =>
        blockedBy.includes(userId) ? [] : [{ type: 'blockedBy', userId }],
      );
    await closeInvites(journals, userId, 'DECLINED', (invite) => invite.fromUserId === otherId);
    await closeInvites(journals, userId, 'REVOKED', (invite) => invite.toUserId === otherId);
    await endSharedTraining(journals, userId, otherId);
    await forgetIfErased(journals, userId, () => forgetInUser(journals, otherId, userId));
    await forgetIfErased(journals, otherId, () => forgetInUser(journals, userId, otherId));
  }

  async unblock(otherId: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    await this.hub.journals
      .of(users)
      .change(userId, ({ blocked }) =>
        blocked.includes(otherId) ? [{ type: 'unblocked', userId: otherId }] : [],
      );
    await this.hub.journals
      .of(users)
      .change(otherId, ({ blockedBy }) =>
        blockedBy.includes(userId) ? [{ type: 'unblockedBy', userId }] : [],
      );
  }
}
