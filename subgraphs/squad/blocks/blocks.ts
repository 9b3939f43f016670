import { requireUser } from '#server/auth/viewer.ts';
import { conflict, invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { closeInvites } from '../invites/invite-records.ts';
import { endSharedTraining } from '../squads/end-shared-training.ts';
import { forgetInUser } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import { moveNames } from '../users/names.journal.ts';
import {
  blockedByItems,
  blockItems,
  MAX_BLOCKED,
  requireNotErased,
  users,
  type UserRecord,
} from '../users/user.journal.ts';

/**
 * Blocks between users. A block hides the two from each other; only the user who has blocked can unblock. A block is
 * decided in the journal of the user who blocks; the journal of the other user has a copy.
 */
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
    const own = await journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      const items = blockItems(user, otherId, true);
      if (items.length > 0 && user.blocked.length >= MAX_BLOCKED)
        throw conflict(`You have blocked ${MAX_BLOCKED} users; unblock others before you block more.`);
      return items;
    });
    await this.report(own, otherId);
    await closeInvites(journals, userId, 'DECLINED', (invite) => invite.fromUserId === otherId);
    await closeInvites(journals, userId, 'REVOKED', (invite) => invite.toUserId === otherId);
    await endSharedTraining(journals, userId, otherId);
    await forgetIfErased(journals, userId, () => forgetInUser(journals, otherId, userId));
    await forgetIfErased(journals, otherId, () => forgetInUser(journals, userId, otherId));
  }

  async unblock(otherId: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    const { journals } = this.hub;
    let isChanged = false;
    const own = await journals.of(users).change(userId, (user) => {
      const items = user.farewell ? [] : blockItems(user, otherId, false);
      isChanged = items.length > 0;
      return items;
    });
    // Nothing is written into the journal of a user who was never blocked.
    await this.report(own, otherId, ({ blockedBy }) => isChanged || blockedBy.includes(userId));
    const { farewell } = await journals.of(users).read(userId);
    if (farewell) await forgetInUser(journals, otherId, userId);
  }

  /**
   * Makes the other user's journal agree with this state of the viewer's journal.
   * @param isConcerned whether the other user's journal may be written
   */
  private async report(
    own: UserRecord,
    otherId: string,
    isConcerned: (other: UserRecord) => boolean = () => true,
  ): Promise<void> {
    const { journals } = this.hub;
    await moveNames(journals, own);
    const after = await journals
      .of(users)
      .change(otherId, (other) => (isConcerned(other) ? blockedByItems(other, own) : []));
    await moveNames(journals, after);
  }
}
