import { PlatformError } from '#server/errors.ts';
import { firstIdOf } from '#server/ids.ts';
import type { Hub } from '../hub.ts';
import { requireNotErased, users } from '../users/user.journal.ts';
import { isPresent } from './squad-rights.ts';
import type { NoSquad, SquadState } from './squad.journal.ts';
import type { Upkeep } from './upkeep.ts';

const MAX_HOSTED_SQUADS = 5;
/** A squad's id is written into its host's journal first. If there is no squad after this time, a crash has prevented it. */
const OPENS_WITHIN_MILLIS = 60_000; // 1 min

/** The squads that a user has entered and that have not ended. */
export async function openSquadsOf(hub: Hub, upkeep: Upkeep, userId: string): Promise<SquadState[]> {
  const entered = (await hub.journals.of(users).read(userId)).squads;
  const open: SquadState[] = [];
  for (const squadId of entered) {
    const squad = await upkeep.settled(squadId);
    if (squad.status !== 'NONE' && squad.status !== 'ENDED') open.push(squad);
  }
  return open;
}

/** The newest LOBBY that the user hosts and nobody else has entered; undefined if there is none. */
export async function emptyLobbyOf(
  hub: Hub,
  upkeep: Upkeep,
  userId: string,
): Promise<SquadState | undefined> {
  const open = await openSquadsOf(hub, upkeep, userId);
  return open.findLast(
    ({ status, hostId, participants }) =>
      status === 'LOBBY' &&
      hostId === userId &&
      participants.filter(isPresent).every((one) => one.userId === userId),
  );
}

/**
 * Writes the id of a new squad into the user's journal, if they do not host too many. Each squad has a journal of its
 * own, so squads that the user enters or opens meanwhile are read before the decision is repeated.
 * @throws SQUAD_LIMIT
 */
export async function reserveSquad(
  hub: Hub,
  upkeep: Upkeep,
  { userId, gymId, squadId }: { userId: string; gymId: string; squadId: string },
): Promise<void> {
  const { journals } = hub;
  const lookedAt = new Map<string, SquadState | NoSquad>();
  for (let isReserved = false; !isReserved;) {
    for (const id of (await journals.of(users).read(userId)).squads)
      if (!lookedAt.has(id)) lookedAt.set(id, await upkeep.settled(id));
    await journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      isReserved = user.squads.every((id) => lookedAt.has(id));
      if (!isReserved) return [];
      if (user.squads.filter((id) => isHosted(id, lookedAt.get(id), userId)).length >= MAX_HOSTED_SQUADS)
        throw new PlatformError(
          'SQUAD_LIMIT',
          `You host ${MAX_HOSTED_SQUADS} open squads, and no more are possible; end one of them first.`,
        );
      return [{ type: 'entered', squadId, gymId }];
    });
  }
}

/** Whether the user hosts the open squad. An id without a squad counts for a minute: the squad may not be written yet. */
function isHosted(squadId: string, squad: SquadState | NoSquad | undefined, userId: string): boolean {
  if (!squad || squad.status === 'NONE')
    return squadId > firstIdOf(new Date(Date.now() - OPENS_WITHIN_MILLIS));
  return squad.status !== 'ENDED' && squad.hostId === userId;
}
