import { invalid, notFound, PlatformError } from '#server/errors.ts';
import { isInvited } from './squad-invites.ts';
import {
  ended,
  isPresent,
  mayEnter,
  meetsHidden,
  requireHost,
  takesPart,
  type Visitor,
} from './squad-rights.ts';
import type { NoSquad, SquadItem, SquadState } from './squad.journal.ts';

/* Each function decides about a user's action and returns the records of the change, or none if nothing changes. */

const MAX_PARTICIPANTS = 20;

type Squad = SquadState | NoSquad;
type Items = readonly SquadItem[];

/** @throws NOT_FOUND for those who may not enter, SQUAD_ENDED, SQUAD_FULL */
export function decideJoin(squad: Squad, id: string, visitor: Visitor): Items {
  const { userId } = visitor.viewer;
  const open = requireMayEnter(squad, id, visitor);
  if (open.status === 'ENDED') throw ended();
  if (takesPart(open, userId)) return [];
  if (open.participants.filter(isPresent).length >= MAX_PARTICIPANTS)
    throw new PlatformError(
      'SQUAD_FULL',
      `A squad has at most ${MAX_PARTICIPANTS} participants; wait until somebody leaves.`,
    );
  return [{ type: 'joined', userId, at: nowText() }];
}

/** @throws NOT_FOUND: a user outside of a private squad must not learn that it exists */
export function requireMayEnter(squad: Squad, id: string, visitor: Visitor): SquadState {
  if (squad.status === 'NONE' || !mayEnter(squad, visitor)) throw notFound('squad', id);
  return squad;
}

export const decideLeave = (squad: Squad, userId: string): Items =>
  takesPart(squad, userId) && squad.status !== 'ENDED'
    ? [{ type: 'left', userId, banned: false, at: nowText() }]
    : [];

/** The visitor leaves if a block is between them and another participant. */
export const decideLeaveIfBlocked = (squad: Squad, visitor: Visitor): Items =>
  squad.status !== 'NONE' && meetsHidden(squad, visitor) ? decideLeave(squad, visitor.viewer.userId) : [];

/** The host changes the status. @throws NOT_FOUND, FORBIDDEN, SQUAD_ENDED, CONFLICT for a pause before the start */
export function decideStatus(
  squad: Squad,
  id: string,
  userId: string,
  status: 'ACTIVE' | 'PAUSED' | 'ENDED',
): Items {
  const before = requireHost(squad, id, userId, 'Only the host starts, pauses and ends the workout.').status;
  if (before === status) return [];
  if (before === 'ENDED') throw ended();
  if (before === 'LOBBY' && status === 'PAUSED')
    throw new PlatformError('CONFLICT', 'The workout has not started; start it first.');
  return [{ type: 'status', status, userId, at: nowText() }];
}

/** The host removes a participant, or ends the right of an invitee to enter. @throws the errors of `requireOther`; NOT_FOUND */
export function decideKick(squad: Squad, id: string, userId: string, otherId: string): Items {
  const open = requireOther(squad, id, userId, otherId, 'remove yourself; leave instead');
  const at = nowText();
  if (takesPart(open, otherId)) return [{ type: 'left', userId: otherId, banned: true, at }];
  if (isInvited(open, otherId)) return [{ type: 'uninvited', userId: otherId, at }];
  throw notFound('participant', otherId);
}

/** The host makes another participant the host. @throws the errors of `requireOther`; NOT_FOUND */
export function decideHost(squad: Squad, id: string, userId: string, otherId: string): Items {
  const open = requireOther(
    squad,
    id,
    userId,
    otherId,
    'make yourself the host, because you are the host already',
  );
  if (!takesPart(open, otherId)) throw notFound('participant', otherId);
  return [{ type: 'host', userId: otherId, at: nowText() }];
}

/** @throws NOT_FOUND, FORBIDDEN for all but the host, VALIDATION_FAILED for the host themselves, SQUAD_ENDED */
function requireOther(
  squad: Squad,
  id: string,
  userId: string,
  otherId: string,
  whatToOneself: string,
): SquadState {
  const hosted = requireHost(squad, id, userId, 'Only the host decides about the people of the squad.');
  if (otherId === userId) throw invalid('userId', `expected somebody else: you cannot ${whatToOneself}`);
  if (hosted.status === 'ENDED') throw ended();
  return hosted;
}

export const nowText = (): string => new Date().toISOString();
