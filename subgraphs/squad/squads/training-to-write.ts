import type { StoredWorkout } from '../history/history.shapes.ts';
import type { SquadState } from './squad.journal.ts';
import type { DoneSetShape } from './squads.shapes.ts';
import { trainingOf, type TrainedSet } from './training.ts';

const MAX_MINUTES = 1_440; // of one training

/** What a participant has done in a squad, as the content service takes it (`PUT /squads/:squadId/trainings/:userId`). */
interface TrainingToWrite {
  /** The history row, made when the participant left or the squad ended. Its revision is 0 in squads of the previous version. */
  row: StoredWorkout & { revision: number };
  body: {
    routineId: string | null;
    routineVersion: number | null;
    startedAt: string;
    endedAt: string;
    minutes: number;
    sets: object[];
  };
}

/**
 * The training of a participant up to the last time that they left; undefined if there is none, or if it was written. The
 * sets are those that were not written before, so that a set that the user has deleted from their training since then does
 * not come back. If the user has joined again, the sets since then are written when they leave again or the squad ends.
 */
export function trainingToWrite(squad: SquadState, userId: string): TrainingToWrite | undefined {
  const row = squad.rows[userId];
  const { written, sets } = trainingOf(squad, userId);
  const revision = row?.revision ?? 0;
  if (!row || (written && written.revision >= revision)) return undefined;
  const done = sets.filter((set) => set.exerciseId !== null && revisionOf(set) <= revision);
  if (done.length === 0 && !written) return undefined;
  return {
    row: { ...row, revision },
    body: {
      routineId: row.routineId,
      routineVersion: row.routineVersion,
      startedAt: row.startedAt,
      // The two times may be from different replicas, whose clocks differ.
      endedAt: row.endedAt > row.startedAt ? row.endedAt : row.startedAt,
      minutes: Math.min(row.minutes, MAX_MINUTES),
      sets: done.filter((set) => !written || revisionOf(set) > written.revision).map(setToWrite),
    },
  };
}

/** Sets of the previous version have no revision. */
const revisionOf = ({ revision = 0 }: TrainedSet): number => revision;

/**
 * A set with an id, which stays the same if the set is corrected. Squads of the previous version accepted measures that a
 * training cannot have; these measures are left out.
 */
function setToWrite({ exerciseIndex, setIndex, exerciseId, at, ...done }: TrainedSet): object {
  const { reps, weightKg, durationSeconds, distanceMeters, rpe }: DoneSetShape = done;
  const within = (value: number | null | undefined, least: number, most: number): number | null =>
    typeof value === 'number' && value >= least && value <= most ? value : null;
  return {
    id: `${exerciseIndex}-${setIndex}-${exerciseId}`,
    exerciseId,
    reps: within(reps, 1, 1_000),
    weightKg: within(weightKg, 0, 1_000),
    durationSeconds: within(Math.round(durationSeconds ?? 0), 1, 86_400),
    distanceMeters: within(distanceMeters, Number.MIN_VALUE, 1_000_000),
    rpe: within(rpe, 1, 10),
    completedAt: at,
  };
}
