import type { UserViewer } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { isPresent, participantOf, type NoSquad, type SquadState } from './squad.journal.ts';

/** Who asks about a squad, with those whom she must not meet. */
export interface Visitor {
  readonly viewer: UserViewer;
  readonly hidden: ReadonlySet<string>;
}

/** Whether she may enter: the host's gym, invited or a participant before, and neither put out nor blocked. */
export function maySee(
  squad: SquadState | NoSquad,
  { viewer, hidden }: Visitor,
  now = Date.now(),
): squad is SquadState {
  if (squad.status === 'NONE' || squad.gymId !== viewer.gymId || squad.banned.includes(viewer.userId))
    return false;
  if (viewer.userId !== squad.hostId && hidden.has(squad.hostId)) return false;
  if (participantOf(squad, viewer.userId)) return true;
  const invited = squad.invited[viewer.userId];
  return invited !== undefined && (invited.status === 'ACCEPTED' || Date.parse(invited.expiresAt) > now);
}

/** @throws NOT_FOUND: of a private squad nobody else learns that it is there. */
export function requireSight(squad: SquadState | NoSquad, id: string, visitor: Visitor): SquadState {
  if (!maySee(squad, visitor)) throw notFound('squad', id);
  return squad;
}

/** Whether she trains with the squad now. */
export function takesPart(squad: SquadState | NoSquad, userId: string): boolean {
  const participant = squad.status === 'NONE' ? undefined : participantOf(squad, userId);
  return participant !== undefined && isPresent(participant);
}
