import { PlatformError } from '#server/errors.ts';
import { firstIdOf, uuidv7 } from '#server/ids.ts';
import type { Hub } from '../hub.ts';
import { moveNames } from '../users/names.journal.ts';
import { requireNotErased, users, type UserItem, type UserRecord } from '../users/user.journal.ts';
import { isPresent } from './squad-rights.ts';
import type { NoSquad, SquadState } from './squad.journal.ts';
import type { Upkeep } from './upkeep.ts';

type KnownSquads = ReadonlyMap<string, SquadState | NoSquad>;

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

/**
 * Writes the id of a new squad into the user's journal, if they do not host too many.
 * @throws SQUAD_LIMIT
 */
export async function reserveSquad(
  hub: Hub,
  upkeep: Upkeep,
  { userId, gymId, squadId }: { userId: string; gymId: string; squadId: string },
): Promise<void> {
  await changeWithSquads(hub, upkeep, userId, (user, known) => {
    requireMayHost(user, known, squadId);
    return [{ type: 'entered', squadId, gymId }];
  });
}

/**
 * The LOBBY for invites without a squad: the newest one of the gym that the user hosts and nobody else has entered. If there
 * is none, the id of a new one is written into the user's journal. This journal decides, so invites that are sent at the same
 * time get the same id. For a `reservedId` the caller writes the squad, unless another request has written it already.
 * @throws SQUAD_LIMIT
 */
export async function lobbyForInvites(
  hub: Hub,
  upkeep: Upkeep,
  { userId, gymId }: { userId: string; gymId: string },
): Promise<SquadState | { reservedId: string }> {
  const newId = uuidv7();
  let lobby: SquadState | { reservedId: string } = { reservedId: newId };
  await changeWithSquads(hub, upkeep, userId, (user, known) => {
    const own = user.squads
      .map((id) => known.get(id))
      .findLast((squad) => isEmptyLobby(squad, userId, gymId));
    if (own) {
      lobby = own as SquadState;
      return [];
    }
    const reservedId = unwrittenLobbyOf(user, known, gymId);
    lobby = { reservedId: reservedId ?? newId };
    requireMayHost(user, known, lobby.reservedId);
    return reservedId ? [] : [{ type: 'entered', squadId: newId, gymId, isForInvites: true }];
  });
  return lobby;
}

/**
 * Changes the user's journal by a decision that depends on all squads of the user. Each squad has a journal of its own, so
 * squads that the user enters or opens meanwhile are read before the decision is repeated.
 */
async function changeWithSquads(
  hub: Hub,
  upkeep: Upkeep,
  userId: string,
  decide: (user: UserRecord, known: KnownSquads) => readonly UserItem[],
): Promise<void> {
  const journal = hub.journals.of(users);
  const known = new Map<string, SquadState | NoSquad>();
  for (let isDecided = false; !isDecided;) {
    for (const id of (await journal.read(userId)).squads)
      if (!known.has(id)) known.set(id, await upkeep.settled(id));
    const after = await journal.change(userId, (user) => {
      requireNotErased(user);
      isDecided = user.squads.every((id) => known.has(id));
      return isDecided ? decide(user, known) : [];
    });
    await moveNames(hub.journals, after);
  }
}

const isEmptyLobby = (squad: SquadState | NoSquad | undefined, userId: string, gymId: string): boolean =>
  squad?.status === 'LOBBY' &&
  squad.gymId === gymId &&
  squad.hostId === userId &&
  squad.participants.filter(isPresent).every((one) => one.userId === userId);

/** The id of a LOBBY for invites whose squad another request is about to write, or has not written because of a crash. */
function unwrittenLobbyOf(
  { lobby, squads }: UserRecord,
  known: KnownSquads,
  gymId: string,
): string | undefined {
  if (!lobby || lobby.gymId !== gymId || !squads.includes(lobby.squadId)) return undefined;
  return known.get(lobby.squadId)?.status === 'NONE' ? lobby.squadId : undefined;
}

/** @throws SQUAD_LIMIT if the user hosts too many squads apart from this one */
function requireMayHost({ userId, squads }: UserRecord, known: KnownSquads, squadId: string): void {
  const hosted = squads.filter((id) => id !== squadId && isHosted(id, known.get(id), userId));
  if (hosted.length >= MAX_HOSTED_SQUADS)
    throw new PlatformError(
      'SQUAD_LIMIT',
      `You host ${MAX_HOSTED_SQUADS} open squads, and no more are possible; end one of them first.`,
    );
}

/** Whether the user hosts the open squad. An id without a squad counts for a minute: the squad may not be written yet. */
function isHosted(squadId: string, squad: SquadState | NoSquad | undefined, userId: string): boolean {
  if (!squad || squad.status === 'NONE')
    return squadId > firstIdOf(new Date(Date.now() - OPENS_WITHIN_MILLIS));
  return squad.status !== 'ENDED' && squad.hostId === userId;
}
