import { requireIdentity } from '#server/accounts/account-data.ts';
import { MembershipEndShape } from '#server/accounts/membership-end.shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { closeInvites } from '../invites/invite-records.ts';
import { recordSquad } from '../squads/finish.ts';
import { openSquadsOf } from '../squads/opening.ts';
import { decideLeave, nowText } from '../squads/squad-decisions.ts';
import { squads } from '../squads/squad.journal.ts';
import type { Upkeep } from '../squads/upkeep.ts';

/**
 * What follows from the end of a membership: the user is no longer online at the gym, they leave its open squads, and their
 * open invites of the gym are closed.
 */
export class EndedMemberships {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly upkeep: Upkeep;

  constructor(unit: UnitOfWork, hub: Hub, upkeep: Upkeep) {
    this.unit = unit;
    this.hub = hub;
    this.upkeep = upkeep;
  }

  /**
   * Only for the identity service. A repeated call changes nothing. If the user has joined the gym again meanwhile, only what
   * began in the earlier membership ends: `before` is then the time at which that membership ended.
   */
  async end(input: unknown): Promise<void> {
    requireIdentity(this.unit.viewer);
    const { userId, gymId, before } = validated(MembershipEndShape, input);
    const { hub } = this;
    const { journals } = hub;
    await hub.openGymOf(userId);
    // Connections end when the user's access tokens are refused, a moment later.
    if (before === null && hub.onlineEntry(userId)?.gymId === gymId) hub.withdraw(userId);
    const open = (await openSquadsOf(hub, this.upkeep, userId)).filter((squad) => squad.gymId === gymId);
    const isEarlier = (at: string): boolean => before === null || at < before;
    for (const { id } of open) {
      const since = nowText();
      const squad = await journals
        .of(squads)
        .change(id, (current) =>
          current.status !== 'NONE' &&
          current.participants.some((one) => one.userId === userId && isEarlier(one.joinedAt))
            ? decideLeave(current, userId)
            : [],
        );
      if (squad.status !== 'NONE') await recordSquad(journals, squad, since);
    }
    for (const status of ['REVOKED', 'DECLINED'] as const)
      await closeInvites(
        journals,
        userId,
        status,
        (invite) => invite.gymId === gymId && isEarlier(invite.createdAt),
      );
  }
}
