import type { UserViewer, Viewer } from '#server/auth/viewer.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { forbidden, notFound, PlatformError } from '#server/errors.ts';
import { readSight, type Sight } from '../presence/visibility.ts';
import type { Journals } from '../storage/journal.ts';
import { isInvited } from './squad-invites.ts';
import type { NoSquad, SquadState } from './squad.journal.ts';
import type { ParticipantShape, SquadShape } from './squads.shapes.ts';

/** A user who wants to enter a squad, with the people whom a block hides from them. */
export interface Visitor extends Sight {
  readonly viewer: UserViewer;
}

/** @throws UNAUTHENTICATED or FORBIDDEN if the viewer is not a user */
export const readVisitor = async (journals: Journals, viewer: Viewer): Promise<Visitor> => ({
  viewer: requireUser(viewer),
  ...(await readSight(journals, viewer)),
});

export const isPresent = (participant: ParticipantShape): boolean => participant.leftAt === null;
export const participantOf = (
  squad: Pick<SquadShape, 'participants'>,
  userId: string,
): ParticipantShape | undefined => squad.participants.find((one) => one.userId === userId);

/** Whether the user has entered the squad and not left it. */
export function takesPart(squad: SquadState | NoSquad, userId: string): boolean {
  const participant = squad.status === 'NONE' ? undefined : participantOf(squad, userId);
  return participant !== undefined && isPresent(participant);
}

/** Whether the viewer may see the squad: they are a participant, or were one when the squad ended. */
export function maySeeSquad(squad: SquadState | NoSquad, viewer: UserViewer): boolean {
  if (squad.status === 'NONE' || squad.gymId !== viewer.gymId) return false;
  const participant = participantOf(squad, viewer.userId);
  if (!participant) return false;
  return isPresent(participant) || (squad.status === 'ENDED' && participant.leftAt === squad.endedAt);
}

/** @throws NOT_FOUND if there is no squad: an erasure removes a squad that has no participants left */
export function requireSquad(squad: SquadState | NoSquad, id: string): SquadState {
  if (squad.status === 'NONE') throw notFound('squad', id);
  return squad;
}

/** @throws NOT_FOUND: a user outside of a private squad must not learn that it exists */
export function requireVisibleSquad(squad: SquadState | NoSquad, id: string, viewer: UserViewer): SquadState {
  if (squad.status === 'NONE' || !maySeeSquad(squad, viewer)) throw notFound('squad', id);
  return squad;
}

/**
 * Whether the visitor may enter: they may see the squad already; or an open or accepted invite lets them enter, and there is
 * no block between them and a participant.
 */
export function mayEnter(squad: SquadState | NoSquad, visitor: Visitor, now = Date.now()): boolean {
  const { viewer } = visitor;
  if (squad.status === 'NONE' || squad.gymId !== viewer.gymId) return false;
  if (maySeeSquad(squad, viewer)) return true;
  return !meetsHidden(squad, visitor) && isInvited(squad, viewer.userId, now);
}

/** Whether a block is between the visitor and a participant. */
export const meetsHidden = ({ participants }: SquadState, { hidden }: Sight): boolean =>
  participants.some((one) => isPresent(one) && hidden.has(one.userId));

/** @throws NOT_FOUND for all but participants, FORBIDDEN with `refusal` for those who are not the host */
export function requireHost(
  squad: SquadState | NoSquad,
  id: string,
  userId: string,
  refusal: string,
): SquadState {
  if (squad.status === 'NONE' || !takesPart(squad, userId)) throw notFound('squad', id);
  if (squad.hostId !== userId) throw forbidden(refusal);
  return squad;
}

/** @throws SQUAD_ENDED, SQUAD_PAUSED */
export function requireActive({ status }: SquadState): void {
  if (status === 'ENDED') throw ended();
  if (status === 'PAUSED')
    throw new PlatformError(
      'SQUAD_PAUSED',
      'The host has paused the workout; continue when it is ACTIVE again.',
    );
}

export const ended = () => new PlatformError('SQUAD_ENDED', 'This squad has ended; open a new one.');
