import { requireUser } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { closeInvites } from '../invites/invite-records.ts';
import { recordEnd } from '../squads/finish.ts';
import { takesPart } from '../squads/squad-rights.ts';
import { squads } from '../squads/squad.journal.ts';
import { forgetInUser } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import { requireStaying, users } from '../users/user.journal.ts';

/** Who wants to have nothing to do with whom. It works in both directions; only the one who blocked can lift it. */
export class Blocks {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;

  constructor(unit: UnitOfWork, hub: Hub) {
    this.unit = unit;
    this.hub = hub;
  }

  /** Ids of those whom the viewer has blocked. */
  async list(): Promise<string[]> {
    return [...(await this.hub.journals.of(users).read(requireUser(this.unit.viewer).userId)).blocked];
  }

  /** Also ends what the two have in common now: open invites, and training together. */
  async block(otherId: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    if (otherId === userId) throw invalid('userId', 'expected somebody else than yourself');
    const { journals } = this.hub;
    await journals.of(users).change(userId, (user) => {
      requireStaying(user);
      return user.blocked.includes(otherId) ? [] : [{ type: 'blocked', userId: otherId }];
    });
    await journals
      .of(users)
      .change(otherId, ({ blockedBy }) =>
        blockedBy.includes(userId) ? [] : [{ type: 'blockedBy', userId }],
      );
    await closeInvites(journals, userId, 'DECLINED', (invite) => invite.fromUserId === otherId);
    await closeInvites(journals, userId, 'REVOKED', (invite) => invite.toUserId === otherId);
    await this.part(userId, otherId);
    await unlessGone(journals, userId, () => forgetInUser(journals, otherId, userId));
    await unlessGone(journals, otherId, () => forgetInUser(journals, userId, otherId));
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

  /** From her own squads the other is put out; another host's squad she leaves herself, for the host has invited both. */
  private async part(userId: string, otherId: string): Promise<void> {
    const { journals } = this.hub;
    const at = new Date().toISOString();
    for (const squadId of (await journals.of(users).read(userId)).squads) {
      const squad = await journals.of(squads).change(squadId, (now) => {
        if (now.status === 'NONE' || now.status === 'ENDED') return [];
        if (now.hostId === userId)
          return takesPart(now, otherId)
            ? [{ type: 'left', userId: otherId, banned: true, at }]
            : [{ type: 'uninvited', userId: otherId }];
        return takesPart(now, otherId) && takesPart(now, userId)
          ? [{ type: 'left', userId, banned: false, at }]
          : [];
      });
      if (squad.status !== 'NONE') await recordEnd(journals, squad);
    }
  }
}
