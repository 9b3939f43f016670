import type { UserViewer } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { opensDoor } from './squad-invites.ts';
import type { NoSquad, SquadState } from './squad.journal.ts';
import type { ParticipantShape, SquadShape } from './squads.shapes.ts';

/** The viewer of a squad, with the people of whom one has blocked the other. */
export interface Visitor {
  readonly viewer: UserViewer;
  readonly hidden: ReadonlySet<string>;
}

export const isPresent = (participant: ParticipantShape): boolean => participant.leftAt === null;
export const participantOf = (
  squad: Pick<SquadShape, 'participants'>,
  userId: string,
): ParticipantShape | undefined => squad.participants.find((one) => one.userId === userId);

/** Whether they train with the squad now. */
export function takesPart(squad: SquadState | NoSquad, userId: string): boolean {
  const participant = squad.status === 'NONE' ? undefined : participantOf(squad, userId);
  return participant !== undefined && isPresent(participant);
}

/** Whether the viewer is in the room: they have entered it and not left it. An ended squad stays readable to those who were there at its end. */
export function isInRoom(squad: SquadState | NoSquad, { viewer }: Visitor): boolean {
  if (squad.status === 'NONE' || squad.gymId !== viewer.gymId) return false;
  const participant = participantOf(squad, viewer.userId);
  if (!participant) return false;
  return isPresent(participant) || (squad.status === 'ENDED' && participant.leftAt === squad.endedAt);
}

/** @throws NOT_FOUND: nobody outside of a private room learns that it exists */
export function requireRoom(squad: SquadState | NoSquad, id: string, visitor: Visitor): SquadState {
  if (squad.status === 'NONE' || !isInRoom(squad, visitor)) throw notFound('squad', id);
  return squad;
}

/**
 * Whether the viewer may enter: they are in the room already, or have an invite that opens its door. A squad does not
 * exist for a person if one of the two has blocked the other, of them and anybody who is in it.
 */
export function mayEnter(squad: SquadState | NoSquad, visitor: Visitor, now = Date.now()): boolean {
  if (squad.status === 'NONE' || squad.gymId !== visitor.viewer.gymId) return false;
  if (isInRoom(squad, visitor)) return true;
  return (
    !meetsHidden(squad, visitor) &&
    squad.invites.some((invite) => invite.toUserId === visitor.viewer.userId && opensDoor(invite, now))
  );
}

/** Whether somebody is in the squad whom the visitor must not meet. */
export const meetsHidden = ({ participants }: SquadState, { hidden }: Visitor): boolean =>
  participants.some((one) => isPresent(one) && hidden.has(one.userId));
