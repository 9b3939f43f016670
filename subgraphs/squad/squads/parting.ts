import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import { recordSquad } from './finish.ts';
import { isInvited } from './squad-invites.ts';
import { takesPart } from './squad-rights.ts';
import { squads } from './squad.journal.ts';

/**
 * Ends the training of two users together, after the first has blocked the other. The other is removed from squads that
 * the first hosts, and may not enter them. The first leaves squads of another host, because that host has invited both.
 */
export async function partWays(journals: Journals, userId: string, otherId: string): Promise<void> {
  const at = new Date().toISOString();
  for (const squadId of (await journals.of(users).read(userId)).squads) {
    const squad = await journals.of(squads).change(squadId, (now) => {
      if (now.status === 'NONE' || now.status === 'ENDED') return [];
      if (now.hostId === userId && takesPart(now, userId))
        return takesPart(now, otherId)
          ? [{ type: 'left', userId: otherId, banned: true, at }]
          : isInvited(now, otherId)
            ? [{ type: 'uninvited', userId: otherId, at }]
            : [];
      return takesPart(now, otherId) && takesPart(now, userId)
        ? [{ type: 'left', userId, banned: false, at }]
        : [];
    });
    if (squad.status !== 'NONE') await recordSquad(journals, squad, at);
  }
}
