import type { JournalKind } from '../storage/journal.ts';
import type { ParticipantShape, Phase, DoneSetShape, SquadEventShape, SquadShape } from './squads.shapes.ts';

/** Who may enter, and until when where she has not answered. */
export interface Invited {
  readonly inviteId: string;
  readonly fromUserId: string;
  readonly status: 'PENDING' | 'ACCEPTED';
  readonly expiresAt: string;
}

/** A squad with everything that decides about it. */
export interface SquadState extends SquadShape {
  readonly invited: Readonly<Record<string, Invited>>;
  /** Those who were put out and stay out. */
  readonly banned: readonly string[];
  /** Milliseconds of pauses that are over. */
  readonly pausedMillis: number;
  /** The last ones, for who comes back. */
  readonly events: readonly SquadEventShape[];
  /** `<userId> <eventId>` of the last workout events, with the revision that each made. */
  readonly eventIds: readonly (readonly [string, number])[];
  /** Whether its end stands in everybody's history. */
  readonly isRecorded: boolean;
}

/** Nothing was ever written for the id. */
export interface NoSquad {
  readonly status: 'NONE';
}

export type SquadItem =
  | { type: 'snapshot'; squad: SquadState }
  | {
      type: 'created';
      id: string;
      gymId: string;
      hostId: string;
      routineId: string | null;
      routineVersion: number | null;
      at: string;
    }
  | { type: 'invited'; userId: string; invited: Invited }
  | { type: 'uninvited'; userId: string }
  | { type: 'joined'; userId: string; at: string }
  | { type: 'left'; userId: string; banned: boolean; at: string }
  | {
      type: 'workout';
      userId: string;
      eventId: string;
      exerciseIndex: number;
      setIndex: number;
      phase: Phase;
      set: DoneSetShape | null;
      restEndsAt: string | null;
      at: string;
    }
  | { type: 'status'; status: 'ACTIVE' | 'PAUSED' | 'ENDED'; userId: string; at: string }
  | { type: 'recorded' };

const KEPT_EVENTS = 500;
const KEPT_EVENT_IDS = 500;

export const squads: JournalKind<SquadState | NoSquad, SquadItem> = {
  name: 'squads',
  keepDays: 90,
  empty: () => ({ status: 'NONE' }),
  apply(squad, item) {
    if (item.type === 'snapshot') return item.squad;
    if (item.type === 'created') return created(item);
    return squad.status === 'NONE' ? squad : changed(squad, item);
  },
  compacted: (squad) => (squad.status === 'NONE' ? [] : [{ type: 'snapshot', squad }]),
};

export const isPresent = (participant: ParticipantShape): boolean => participant.leftAt === null;
export const participantOf = (squad: SquadShape, userId: string): ParticipantShape | undefined =>
  squad.participants.find((one) => one.userId === userId);

/** The events after `revision`; undefined where some of them are no longer kept. */
export function eventsSince(squad: SquadState, revision: number): SquadEventShape[] | undefined {
  const missed = squad.events.filter((event) => event.revision > revision);
  return missed.length === squad.revision - Math.min(revision, squad.revision) ? missed : undefined;
}

/** Minutes of training, pauses left out. */
export function trainedMinutes(squad: SquadState): number {
  if (!squad.startedAt || !squad.endedAt) return 0;
  return Math.max(
    0,
    Math.round((Date.parse(squad.endedAt) - Date.parse(squad.startedAt) - squad.pausedMillis) / 60_000),
  );
}

type Change = Exclude<SquadItem, { type: 'snapshot' | 'created' }>;

function created({
  id,
  gymId,
  hostId,
  routineId,
  routineVersion,
  at,
}: Extract<SquadItem, { type: 'created' }>): SquadState {
  const squad: SquadState = {
    id,
    gymId,
    hostId,
    routineId,
    routineVersion,
    status: 'LOBBY',
    revision: 0,
    participants: [],
    createdAt: at,
    startedAt: null,
    pausedAt: null,
    endedAt: null,
    invited: {},
    banned: [],
    pausedMillis: 0,
    events: [],
    eventIds: [],
    isRecorded: false,
  };
  return changed(squad, { type: 'joined', userId: hostId, at });
}

function changed(squad: SquadState, item: Change): SquadState {
  switch (item.type) {
    case 'invited':
      return {
        ...squad,
        invited: { ...squad.invited, [item.userId]: item.invited },
        banned: squad.banned.filter((userId) => userId !== item.userId),
      };
    case 'uninvited': {
      const { [item.userId]: _gone, ...invited } = squad.invited;
      return { ...squad, invited };
    }
    case 'recorded':
      return { ...squad, isRecorded: true };
    case 'joined':
      return tell(joined(squad, item), 'squad_joined', item);
    case 'left':
      return tell(left(squad, item), 'squad_left', item);
    case 'status':
      return tell(withStatus(squad, item.status, item.at), 'squad_updated', item, null);
    case 'workout':
      return tell(workedOut(squad, item), 'squad_updated', item);
    default:
      return squad;
  }
}

/** Counts the revision up and keeps the event that tells of it. */
function tell(
  squad: SquadState,
  event: SquadEventShape['event'],
  { userId, at }: { userId: string; at: string },
  participant = participantOf(squad, userId) ?? null,
): SquadState {
  const revision = squad.revision + 1;
  const told: SquadEventShape = {
    event,
    squadId: squad.id,
    revision,
    at,
    userId,
    hostId: squad.hostId,
    status: squad.status,
    participant,
  };
  return { ...squad, revision, events: [...squad.events.slice(1 - KEPT_EVENTS), told] };
}

function joined(squad: SquadState, { userId, at }: { userId: string; at: string }): SquadState {
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
  const invited = squad.invited[userId];
  return {
    ...squad,
    // Who returns is the last in line for becoming host.
    participants: [...squad.participants.filter((one) => one.userId !== userId), participant],
    invited: invited ? { ...squad.invited, [userId]: { ...invited, status: 'ACCEPTED' } } : squad.invited,
  };
}

/** The host's leaving makes the one who is there longest the host; nobody left ends the squad. */
function left(
  squad: SquadState,
  { userId, banned, at }: { userId: string; banned: boolean; at: string },
): SquadState {
  const participants = squad.participants.map((one) =>
    one.userId === userId ? { ...one, leftAt: at } : one,
  );
  const next = participants.find(isPresent);
  const { [userId]: _gone, ...others } = squad.invited;
  const after: SquadState = {
    ...squad,
    participants,
    hostId: squad.hostId === userId && next ? next.userId : squad.hostId,
    ...(banned && { banned: [...squad.banned, userId], invited: others }),
  };
  return next ? after : withStatus(after, 'ENDED', at);
}

function withStatus(squad: SquadState, status: 'ACTIVE' | 'PAUSED' | 'ENDED', at: string): SquadState {
  const paused = squad.pausedAt ? Math.max(0, Date.parse(at) - Date.parse(squad.pausedAt)) : 0;
  return {
    ...squad,
    status,
    startedAt: squad.startedAt ?? (status === 'ACTIVE' ? at : null),
    pausedAt: status === 'PAUSED' ? at : null,
    pausedMillis: squad.pausedMillis + paused,
    endedAt: status === 'ENDED' ? at : null,
  };
}

function workedOut(squad: SquadState, item: Extract<SquadItem, { type: 'workout' }>): SquadState {
  const { userId, exerciseIndex, setIndex, phase, restEndsAt, set } = item;
  // The first set of anybody starts the squad.
  const active = squad.status === 'LOBBY' ? withStatus(squad, 'ACTIVE', item.at) : squad;
  return {
    ...active,
    participants: active.participants.map((one) =>
      one.userId === userId
        ? {
            ...one,
            exerciseIndex,
            setIndex,
            phase,
            restEndsAt,
            lastSet: set ?? one.lastSet,
            setsDone: one.setsDone + (set ? 1 : 0),
          }
        : one,
    ),
    eventIds: [
      ...active.eventIds.slice(1 - KEPT_EVENT_IDS),
      [`${userId} ${item.eventId}`, squad.revision + 1],
    ],
  };
}
