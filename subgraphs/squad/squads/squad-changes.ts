import { isBefore } from './plan.ts';
import { acceptedBy, closed, inviteOfLegacy, isOpen, spentFor, withInvite } from './squad-invites.ts';
import { isPresent, participantOf } from './squad-rights.ts';
import type { SquadItem, SquadState, WorkoutItem } from './squad.journal.ts';
import type { ParticipantShape, SquadEventShape } from './squads.shapes.ts';
import { hasSet, trainingOf, withClocks, withRows, withSet, withWritten } from './training.ts';

const KEPT_EVENTS = 500;
const KEPT_EVENT_IDS = 500;

type Item<Type extends SquadItem['type']> = Extract<SquadItem, { type: Type }>;
type Change = Exclude<SquadItem, { type: 'snapshot' | 'created' }>;

export function created({
  id,
  gymId,
  hostId,
  routineId,
  routineVersion,
  plan = null,
  at,
}: Item<'created'>): SquadState {
  const squad: SquadState = {
    id,
    gymId,
    hostId,
    routineId,
    routineVersion,
    plan,
    status: 'LOBBY',
    revision: 0,
    participants: [],
    createdAt: at,
    startedAt: null,
    pausedAt: null,
    endedAt: null,
    invites: [],
    modalities: {},
    pausedMillis: 0,
    events: [],
    eventIds: [],
    trainings: {},
    rows: {},
    isRecorded: false,
  };
  return appliedItem(squad, { type: 'joined', userId: hostId, at });
}

export function appliedItem(squad: SquadState, item: Change): SquadState {
  switch (item.type) {
    case 'invite':
      return { ...squad, invites: withInvite(squad.invites, item.invite) };
    case 'invited':
      return {
        ...squad,
        invites: withInvite(
          // The previous version had one invite for each invitee: a later invite replaced the earlier one.
          squad.invites.filter(({ toUserId }) => toUserId !== item.userId),
          inviteOfLegacy(item.invited, item.userId, squad),
        ),
      };
    case 'answered':
      return {
        ...squad,
        invites: closed(squad.invites, item.status, item.at, ({ id }) => id === item.inviteId),
      };
    case 'uninvited':
      return { ...squad, invites: spentFor(squad.invites, item.userId, item.at ?? lastChangeOf(squad)) };
    case 'recorded':
      return { ...squad, isRecorded: true };
    case 'trainingWritten':
      return withWritten(squad, item);
    case 'joined':
      return withEvent(withClocks(joined(squad, item), item.at), 'squad_joined', item);
    case 'left':
      return withEvent(left(squad, item), 'squad_left', item);
    case 'host':
      return withEvent({ ...squad, hostId: item.userId }, 'squad_updated', item, null);
    case 'status':
      return withEvent(withStatus(squad, item.status, item.at), 'squad_updated', item, null);
    case 'workout':
      return withEvent(workedOut(squad, item), 'squad_updated', item);
    default:
      return squad;
  }
}

export const lastChangeOf = (squad: SquadState): string => squad.events.at(-1)?.at ?? squad.createdAt;

/** Increments the revision, and adds the event of the change. */
function withEvent(
  squad: SquadState,
  event: SquadEventShape['event'],
  { userId, at }: { userId: string; at: string },
  participant = participantOf(squad, userId) ?? null,
): SquadState {
  const revision = squad.revision + 1;
  const added: SquadEventShape = {
    event,
    squadId: squad.id,
    revision,
    at,
    userId,
    hostId: squad.hostId,
    status: squad.status,
    participant,
  };
  return { ...squad, revision, events: [...squad.events.slice(1 - KEPT_EVENTS), added] };
}

function joined(squad: SquadState, { userId, at }: Item<'joined'>): SquadState {
  const before = participantOf(squad, userId);
  const participant: ParticipantShape = before
    ? { ...before, leftAt: null }
    : {
        userId,
        joinedAt: at,
        leftAt: null,
        exerciseIndex: 0,
        setIndex: 0,
        phase: 'WORK',
        restEndsAt: null,
        lastSet: null,
        setsDone: 0,
      };
  return {
    ...squad,
    // The order decides who becomes host: a user who returns is the last.
    participants: [...squad.participants.filter((one) => one.userId !== userId), participant],
    invites: acceptedBy(squad.invites, userId, at),
  };
}

/** If the host leaves, the participant who has been there longest becomes host. If the last one leaves, the squad ends. */
function left(squad: SquadState, { userId, at }: Item<'left'>): SquadState {
  const participants = squad.participants.map((one) =>
    one.userId === userId ? { ...one, leftAt: at } : one,
  );
  const next = participants.find(isPresent);
  const after = withClocks(
    {
      ...squad,
      participants,
      hostId: squad.hostId === userId && next ? next.userId : squad.hostId,
      invites: spentFor(squad.invites, userId, at),
    },
    at,
  );
  const written = withRows(after, [userId], at);
  return next ? written : withStatus(written, 'ENDED', at);
}

function withStatus(squad: SquadState, status: 'ACTIVE' | 'PAUSED' | 'ENDED', at: string): SquadState {
  const paused = squad.pausedAt ? Math.max(0, Date.parse(at) - Date.parse(squad.pausedAt)) : 0;
  const after = withClocks(
    {
      ...squad,
      status,
      startedAt: squad.startedAt ?? (status === 'ACTIVE' ? at : null),
      pausedAt: status === 'PAUSED' ? at : null,
      pausedMillis: squad.pausedMillis + paused,
      endedAt: status === 'ENDED' ? at : null,
    },
    at,
  );
  if (status !== 'ENDED') return after;
  const present = after.participants.filter(isPresent).map(({ userId }) => userId);
  return { ...withRows(after, present, at), invites: closedAtEnd(after, at) };
}

/** Closes the pending invites of a squad that has ended: those that were open are revoked, the others have expired. */
function closedAtEnd(squad: SquadState, at: string): SquadState['invites'] {
  const moment = Date.parse(at);
  return closed(
    closed(squad.invites, 'REVOKED', at, (invite) => isOpen(invite, moment)),
    'EXPIRED',
    at,
    () => true,
  );
}

/**
 * The first update starts the squad. An update that arrives after a later one does not move the participant back. A set
 * that was done before is corrected, and not counted again.
 */
function workedOut(squad: SquadState, item: WorkoutItem): SquadState {
  const { userId, exerciseIndex, setIndex, phase, restEndsAt, set, exerciseId, modality } = item;
  const active = squad.status === 'LOBBY' ? withStatus(squad, 'ACTIVE', item.at) : squad;
  const training = trainingOf(active, userId);
  const isNew = set !== null && !hasSet(training, item);
  const position = { exerciseIndex, setIndex, phase, restEndsAt };
  return {
    ...active,
    participants: active.participants.map((one) => {
      if (one.userId !== userId) return one;
      const isLate = isBefore(active.plan, position, one);
      return {
        ...one,
        ...(!isLate && position),
        lastSet: isLate ? one.lastSet : (set ?? one.lastSet),
        setsDone: one.setsDone + (isNew ? 1 : 0),
      };
    }),
    trainings: set
      ? { ...active.trainings, [userId]: withSet(training, item, squad.revision + 1) }
      : active.trainings,
    modalities:
      exerciseId && modality !== undefined
        ? { ...active.modalities, [exerciseId]: modality }
        : active.modalities,
    eventIds: [
      ...active.eventIds.slice(1 - KEPT_EVENT_IDS),
      [`${userId} ${item.eventId}`, squad.revision + 1],
    ],
  };
}
