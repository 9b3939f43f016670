import { invalid } from '#server/errors.ts';
import type { DoneSetShape, ParticipantShape, UpdateWorkoutShape } from './squads.shapes.ts';
import { Phase } from './squads.shapes.ts';

/** An exercise of the routine that a squad trains. `exerciseIndex` counts these: the entries of all blocks, in order. */
interface PlannedExercise {
  readonly exerciseId: string;
  /** Null if the content service returned none. */
  readonly modality: string | null;
  /** Entries of one block are trained in turn, set by set (a superset). */
  readonly block: number;
  readonly sets: number;
}

/** The exercises of the version of a routine that a squad trains. */
export type Plan = readonly PlannedExercise[];

type Measure = 'reps' | 'durationSeconds' | 'distanceMeters' | 'weightKg';

/**
 * The measures of a done set, by modality: at least one of `oneOf` is required, those of `optional` may be added. The content
 * service has the same rule for routines (subgraphs/content/workouts/set-fields.ts); services do not import each other.
 */
const MEASURES_OF: Readonly<Record<string, { oneOf: readonly Measure[]; optional: readonly Measure[] }>> = {
  WEIGHT_REPS: { oneOf: ['reps'], optional: ['weightKg'] },
  BODYWEIGHT_REPS: { oneOf: ['reps'], optional: [] },
  WEIGHTED_BODYWEIGHT: { oneOf: ['reps'], optional: ['weightKg'] },
  DURATION: { oneOf: ['durationSeconds'], optional: [] },
  WEIGHT_DURATION: { oneOf: ['durationSeconds'], optional: ['weightKg'] },
  DISTANCE_DURATION: { oneOf: ['distanceMeters', 'durationSeconds'], optional: [] },
  WEIGHT_DISTANCE: { oneOf: ['distanceMeters', 'durationSeconds'], optional: ['weightKg'] },
};
const MEASURES = ['reps', 'durationSeconds', 'distanceMeters', 'weightKg'] as const satisfies Measure[];

/** The planned exercise of an update. @throws VALIDATION_FAILED at the field that does not fit the routine */
export function plannedExercise(
  plan: Plan,
  {
    exerciseIndex,
    setIndex,
    exerciseId,
  }: Pick<UpdateWorkoutShape, 'exerciseIndex' | 'setIndex' | 'exerciseId'>,
): PlannedExercise {
  const exercise = plan[exerciseIndex];
  if (!exercise)
    throw invalid('exerciseIndex', `expected 0 to ${plan.length - 1}, the exercises of the routine`);
  if (setIndex >= exercise.sets)
    throw invalid('setIndex', `expected 0 to ${exercise.sets - 1}, the sets of this exercise in the routine`);
  if (exerciseId && exerciseId !== exercise.exerciseId)
    throw invalid(
      'exerciseId',
      `expected "${exercise.exerciseId}", the exercise ${exerciseIndex} of the routine`,
    );
  return exercise;
}

/** @throws VALIDATION_FAILED for a measure that the exercise does not have, or that is missing */
export function checkMeasures(set: DoneSetShape, modality: string | null): void {
  const measures = modality === null ? undefined : MEASURES_OF[modality];
  if (!measures) return;
  const { oneOf, optional } = measures;
  const has = (measure: Measure) => set[measure] !== undefined && set[measure] !== null;
  for (const measure of MEASURES)
    if (has(measure) && !oneOf.includes(measure) && !optional.includes(measure))
      throw invalid(`set.${measure}`, `does not go with an exercise of modality ${modality}`);
  if (!oneOf.some(has))
    throw invalid(
      `set.${oneOf[0]}`,
      `expected ${oneOf.join(' or ')}, because the exercise is of modality ${modality}`,
    );
}

type WorkoutPosition = Pick<ParticipantShape, 'exerciseIndex' | 'setIndex' | 'phase'>;

const PHASES: readonly Phase[] = [Phase.WORK, Phase.REST, Phase.DONE];

/** Whether the first position in the workout comes before the second: by block, set, exercise and phase. */
export function isBefore(plan: Plan | null, one: WorkoutPosition, other: WorkoutPosition): boolean {
  const [ranks, otherRanks] = [rankOf(plan, one), rankOf(plan, other)];
  const differing = ranks.findIndex((rank, index) => rank !== otherRanks[index]);
  return differing >= 0 && (ranks[differing] as number) < (otherRanks[differing] as number);
}

const rankOf = (
  plan: Plan | null,
  { exerciseIndex, setIndex, phase }: WorkoutPosition,
): readonly number[] => [
  plan?.[exerciseIndex]?.block ?? exerciseIndex,
  setIndex,
  exerciseIndex,
  PHASES.indexOf(phase),
];
