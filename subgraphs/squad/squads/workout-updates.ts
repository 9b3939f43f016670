import { invalid, notFound, PlatformError } from '#server/errors.ts';
import type { Platform } from '../upstream/platform.ts';
import { checkMeasures, plannedExercise } from './plan.ts';
import { requireActive, takesPart } from './squad-rights.ts';
import type { NoSquad, SquadItem, SquadState } from './squad.journal.ts';
import type { UpdateWorkoutShape } from './squads.shapes.ts';
import { hasSet, MAX_SETS, trainingOf } from './training.ts';

const MAX_REST_MILLIS = 60 * 60 * 1000; // 1 h
const MAX_EXERCISES = 200;

type Update = Omit<UpdateWorkoutShape, 'squadId'>;

/** The exercise of an update, as it was checked before the update is decided. */
interface CheckedExercise {
  exerciseId: string | null;
  /** Undefined if the squad has stored it before, or has a routine with exercises. */
  modality: string | null | undefined;
}

/**
 * Checks an update against the version of the routine that the squad trains. If the squad has no routine, or one without
 * exercises, checks the exercise that the update names; the content service is asked about each exercise of a squad once.
 * @throws VALIDATION_FAILED at the field that does not fit, UPSTREAM_UNAVAILABLE
 */
export async function checkUpdate(
  squad: SquadState,
  update: Update,
  platform: Pick<Platform, 'exerciseModality'>,
): Promise<CheckedExercise> {
  const { set, restEndsAt } = update;
  if (restEndsAt && Math.abs(Date.parse(restEndsAt) - Date.now()) > MAX_REST_MILLIS)
    throw invalid('restEndsAt', 'expected a time within an hour of now');
  if (squad.plan && squad.plan.length > 0) {
    const { exerciseId, modality } = plannedExercise(squad.plan, update);
    if (set) checkMeasures(set, modality);
    return { exerciseId, modality: undefined };
  }
  // Squads of the previous version have not stored the plan of their routine.
  if (squad.routineId && !squad.plan) return { exerciseId: update.exerciseId ?? null, modality: undefined };
  if (!update.exerciseId) {
    const reason = squad.routineId ? "the squad's routine has no exercises" : 'the squad has no routine';
    throw invalid('exerciseId', `expected the exercise, because ${reason}`);
  }
  const exerciseId = update.exerciseId;
  const known = squad.modalities[exerciseId];
  const modality = known === undefined ? await platform.exerciseModality(exerciseId) : known;
  if (modality === undefined)
    throw invalid('exerciseId', `there is no exercise "${exerciseId}" that you may see`);
  if (known === undefined && Object.keys(squad.modalities).length >= MAX_EXERCISES)
    throw invalid('exerciseId', `expected one of the ${MAX_EXERCISES} exercises that the squad has trained`);
  if (set) checkMeasures(set, modality);
  return { exerciseId, modality: known === undefined ? modality : undefined };
}

/** Decides about a checked update; an event id that was sent before changes nothing. */
export function decideUpdate(
  squad: SquadState | NoSquad,
  id: string,
  userId: string,
  { eventId, exerciseIndex, setIndex, phase, set, restEndsAt }: Update,
  { exerciseId, modality }: CheckedExercise,
): readonly SquadItem[] {
  if (squad.status === 'NONE') throw notFound('squad', id);
  if (revisionOf(squad, userId, eventId) !== undefined) return [];
  requireActive(squad);
  if (!takesPart(squad, userId)) throw notFound('squad', id);
  const training = trainingOf(squad, userId);
  if (set && training.sets.length >= MAX_SETS && !hasSet(training, { exerciseIndex, setIndex, exerciseId }))
    throw new PlatformError(
      'CONFLICT',
      `You have done ${MAX_SETS} sets in this squad, and no more can be stored.`,
    );
  return [
    {
      type: 'workout',
      userId,
      eventId,
      exerciseIndex,
      setIndex,
      exerciseId,
      ...(modality !== undefined && { modality }),
      phase,
      set: set ?? null,
      restEndsAt: restEndsAt ?? null,
      at: new Date().toISOString(),
    },
  ];
}

/** The revision that an event made; undefined if it was not sent, or is no longer kept. */
export const revisionOf = ({ eventIds }: SquadState, userId: string, eventId: string): number | undefined =>
  eventIds.findLast(([known]) => known === `${userId} ${eventId}`)?.[1];
