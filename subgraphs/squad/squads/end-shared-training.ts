import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import { recordSquad } from './finish.ts';
import { isInvited } from './squad-invites.ts';
import { takesPart } from './squad-rights.ts';
import { squads } from './squad.journal.ts';

/**
 * Ends the shared training of two users, after the first has blocked the other. In squads that the first hosts, the other
 * is removed and loses the right to enter. The first leaves all other squads in which both take part, because only the host
 * may remove a participant.
 */
export async function endSharedTraining(journals: Journals, userId: string, otherId: string): Promise<void> {
  const at = new Date().toISOString();
  for (const squadId of (await journals.of(users).read(userId)).squads) {
    const squad = await journals.of(squads).change(squadId, (current) => {
      if (current.status === 'NONE' || current.status === 'ENDED') return [];
      if (current.hostId === userId && takesPart(current, userId))
        return takesPart(current, otherId)
          ? [{ type: 'left', userId: otherId, banned: true, at }]
          : isInvited(current, otherId)
            ? [{ type: 'uninvited', userId: otherId, at }]
            : [];
      return takesPart(current, otherId) && takesPart(current, userId)
        ? [{ type: 'left', userId, banned: false, at }]
        : [];
    });
    if (squad.status !== 'NONE') await recordSquad(journals, squad, at);
  }
}
