import type { StoredWorkout } from '../history/history.shapes.ts';
import type { InviteStatus, StoredInvite } from '../invites/invites.shapes.ts';
import type { JournalKind } from '../storage/journal.ts';
import type { Plan } from './plan.ts';
import { appliedItem, created } from './squad-changes.ts';
import { inviteOfLegacy, type LegacyInvited, type SquadInvite } from './squad-invites.ts';
import { jobsOfSquad } from './squad-jobs.ts';
import { isPresent } from './squad-rights.ts';
import type { Phase, DoneSetShape, SquadEventShape, SquadShape } from './squads.shapes.ts';
import type { TrainingRecord } from './training.ts';

/** A squad with everything that its rules depend on. */
export interface SquadState extends SquadShape {
  /** All invites with their status, which this journal decides. The newest last. */
  readonly invites: readonly SquadInvite[];
  /** The plan of the routine's version; null if the squad has no routine, or was opened by the previous version. */
  readonly plan: Plan | null;
  /** For a squad without a plan: the modality of each exercise that the content service has confirmed. */
  readonly modalities: Readonly<Record<string, string | null>>;
  /** Milliseconds of pauses that are over. */
  readonly pausedMillis: number;
  /** The last events, for clients that return. */
  readonly events: readonly SquadEventShape[];
  /** `<userId> <eventId>` of the last workout events, with the revision that each made. */
  readonly eventIds: readonly (readonly [string, number])[];
  /** What each participant did, by user id. */
  readonly trainings: Readonly<Record<string, TrainingRecord>>;
  /** The history row of each participant who has left, or who took part when the squad ended, by user id. */
  readonly rows: Readonly<Record<string, StoredWorkout>>;
  /** Whether the end of the squad was copied to the other journals (`recordSquad`). */
  readonly isRecorded: boolean;
}

/** The state of an id without records. */
export interface NoSquad {
  readonly status: 'NONE';
}

export interface WorkoutItem {
  type: 'workout';
  userId: string;
  eventId: string;
  exerciseIndex: number;
  setIndex: number;
  /** Absent in journals of the previous version. */
  exerciseId?: string | null;
  /** For the first update of an exercise in a squad without a routine. */
  modality?: string | null;
  phase: Phase;
  set: DoneSetShape | null;
  restEndsAt: string | null;
  at: string;
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
      plan?: Plan | null;
      at: string;
    }
  | { type: 'invite'; invite: StoredInvite }
  | { type: 'answered'; inviteId: string; status: Exclude<InviteStatus, 'PENDING'>; at: string }
  /** Written by the previous version. */
  | { type: 'invited'; userId: string; invited: LegacyInvited }
  /** Ends all rights of a user to enter. `at` is absent in journals of the previous version. */
  | { type: 'uninvited'; userId: string; at?: string }
  | { type: 'joined'; userId: string; at: string }
  /** `banned`: the user was removed by the host or by a block. */
  | { type: 'left'; userId: string; banned: boolean; at: string }
  | { type: 'host'; userId: string; at: string }
  | WorkoutItem
  | { type: 'status'; status: 'ACTIVE' | 'PAUSED' | 'ENDED'; userId: string; at: string }
  | { type: 'recorded' }
  /** The content service has stored the training of the history row with this revision. */
  | { type: 'trainingWritten'; userId: string; revision: number; trainingId: string | null };

export const squads: JournalKind<SquadState | NoSquad, SquadItem> = {
  name: 'squads',
  keepDays: 90,
  empty: () => ({ status: 'NONE' }),
  apply(squad, item) {
    if (item.type === 'snapshot') return upgraded(item.squad);
    if (item.type === 'created') return created(item);
    return squad.status === 'NONE' ? squad : appliedItem(squad, item);
  },
  compacted: (squad) => (squad.status === 'NONE' ? [] : [{ type: 'snapshot', squad }]),
  jobsOf: jobsOfSquad,
};

/** The events after `revision`; undefined if some of them are no longer kept. */
export function eventsSince(squad: SquadState, revision: number): SquadEventShape[] | undefined {
  const missed = squad.events.filter((event) => event.revision > revision);
  return missed.length === squad.revision - Math.min(revision, squad.revision) ? missed : undefined;
}

/** Minutes for which the squad trained, without pauses. */
export function trainedMinutes(squad: SquadState): number {
  if (!squad.startedAt || !squad.endedAt) return 0;
  return Math.max(
    0,
    Math.round((Date.parse(squad.endedAt) - Date.parse(squad.startedAt) - squad.pausedMillis) / 60_000),
  );
}

/** A snapshot of the previous version, with one invite for each invitee and without trainings. */
type LegacySquad = Omit<SquadState, 'invites' | 'plan' | 'modalities' | 'trainings' | 'rows'> & {
  readonly invited?: Readonly<Record<string, LegacyInvited>>;
};

function upgraded(squad: SquadState | LegacySquad): SquadState {
  if ('invites' in squad) return squad;
  const { invited = {}, ...kept } = squad;
  return {
    ...kept,
    invites: Object.entries(invited).map(([userId, one]) => inviteOfLegacy(one, userId, squad)),
    plan: null,
    modalities: {},
    trainings: squad.status === 'ENDED' ? {} : legacyTrainings(squad),
    rows: {},
  };
}

/** The clocks of participants who were training when this version replaced the previous one. */
function legacyTrainings({
  participants,
  startedAt,
  pausedAt,
  pausedMillis,
}: LegacySquad): SquadState['trainings'] {
  if (!startedAt) return {};
  return Object.fromEntries(
    participants.filter(isPresent).map(({ userId, joinedAt }): [string, TrainingRecord] => {
      const since = joinedAt > startedAt ? joinedAt : startedAt;
      const until = pausedAt && pausedAt > since ? Date.parse(pausedAt) : Date.parse(since);
      const millis = (pausedAt ? until - Date.parse(since) : 0) - (joinedAt > startedAt ? 0 : pausedMillis);
      return [userId, { startedAt: since, millis, activeSince: pausedAt ? null : since, sets: [] }];
    }),
  );
}
