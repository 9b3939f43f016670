import type { StoredWorkout } from '../history/history.shapes.ts';
import type { SquadState, WorkoutItem } from './squad.journal.ts';
import { isPresent } from './squad-rights.ts';
import type { DoneSetShape } from './squads.shapes.ts';

/** One set that a participant did. A later update of the same set replaces it. */
export interface TrainedSet extends DoneSetShape {
  readonly exerciseIndex: number;
  readonly setIndex: number;
  /** Null in squads of the previous version. */
  readonly exerciseId: string | null;
  readonly at: string;
  /** The squad's revision after the set, or after its last correction; absent in squads of the previous version. */
  readonly revision?: number;
}

/** What one participant did in a squad, also if they have left and joined again. */
export interface TrainingRecord {
  /** When they first were in the squad after LOBBY; null if they never were. */
  readonly startedAt: string | null;
  /** Milliseconds for which they were in the ACTIVE squad, without the time since `activeSince`. */
  readonly millis: number;
  /** Set while they are in the ACTIVE squad. */
  readonly activeSince: string | null;
  readonly sets: readonly TrainedSet[];
  /** What the content service has stored: the row with this revision. Absent before it has stored any. */
  readonly written?: { readonly revision: number; readonly trainingId: string | null };
}

/** The maximum number of sets of one participant in a squad. */
export const MAX_SETS = 500;

const NOTHING: TrainingRecord = { startedAt: null, millis: 0, activeSince: null, sets: [] };

export const trainingOf = (squad: Pick<SquadState, 'trainings'>, userId: string): TrainingRecord =>
  squad.trainings[userId] ?? NOTHING;

/** Starts and stops the clocks, which run for present participants of an ACTIVE squad. */
export function withClocks(squad: SquadState, at: string): SquadState {
  const changed: Record<string, TrainingRecord> = {};
  for (const participant of squad.participants) {
    const { userId } = participant;
    const before = trainingOf(squad, userId);
    const isThere = isPresent(participant) && (squad.status === 'ACTIVE' || squad.status === 'PAUSED');
    const isRunning = isThere && squad.status === 'ACTIVE';
    let after = before;
    if (isThere && !before.startedAt) after = { ...after, startedAt: at };
    if (isRunning && !before.activeSince) after = { ...after, activeSince: at };
    if (!isRunning && before.activeSince)
      after = {
        ...after,
        activeSince: null,
        millis: before.millis + Math.max(0, Date.parse(at) - Date.parse(before.activeSince)),
      };
    if (after !== before) changed[userId] = after;
  }
  return Object.keys(changed).length === 0
    ? squad
    : { ...squad, trainings: { ...squad.trainings, ...changed } };
}

/** Adds the history rows of users who leave, or who are there at the end. A squad that never left LOBBY has none. */
export function withRows(squad: SquadState, userIds: readonly string[], at: string): SquadState {
  const participantIds = squad.participants
    .map(({ userId }) => userId)
    .filter((userId) => trainingOf(squad, userId).startedAt);
  const rows: Record<string, StoredWorkout> = {};
  for (const { userId, setsDone } of squad.participants) {
    const { startedAt, millis, written } = trainingOf(squad, userId);
    if (!startedAt || !userIds.includes(userId)) continue;
    rows[userId] = {
      squadId: squad.id,
      routineId: squad.routineId,
      routineVersion: squad.routineVersion,
      startedAt,
      endedAt: at,
      minutes: Math.max(0, Math.round(millis / 60_000)),
      sets: setsDone,
      trainingId: written?.trainingId ?? null,
      participantIds,
      revision: squad.revision + 1,
    };
  }
  return { ...squad, rows: { ...squad.rows, ...rows } };
}

/** Whether the participant has done this set before, also by an update with another event id. */
export const hasSet = (training: TrainingRecord, item: SetPosition): boolean =>
  training.sets.some((set) => isSame(set, item));

/** @param revision the squad's revision after the set */
export function withSet(training: TrainingRecord, item: WorkoutItem, revision: number): TrainingRecord {
  if (!item.set) return training;
  const { exerciseIndex, setIndex, exerciseId = null, at } = item;
  const done: TrainedSet = { ...item.set, exerciseIndex, setIndex, exerciseId, at, revision };
  const known = training.sets.findIndex((set) => isSame(set, item));
  const sets = known < 0 ? [...training.sets, done].slice(-MAX_SETS) : training.sets.with(known, done);
  return { ...training, sets };
}

/** The content service has stored the training of the row with this revision. */
export function withWritten(
  squad: SquadState,
  { userId, revision, trainingId }: { userId: string; revision: number; trainingId: string | null },
): SquadState {
  const { [userId]: training } = squad.trainings;
  const { [userId]: row } = squad.rows;
  if (!training || !row || (training.written && training.written.revision > revision)) return squad;
  return {
    ...squad,
    trainings: { ...squad.trainings, [userId]: { ...training, written: { revision, trainingId } } },
    rows: { ...squad.rows, [userId]: { ...row, trainingId } },
  };
}

type SetPosition = Pick<WorkoutItem, 'exerciseIndex' | 'setIndex' | 'exerciseId'>;

const isSame = (set: TrainedSet, { exerciseIndex, setIndex, exerciseId = null }: SetPosition): boolean =>
  set.exerciseIndex === exerciseIndex && set.setIndex === setIndex && set.exerciseId === exerciseId;
