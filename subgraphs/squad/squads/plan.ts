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
 * The measures of a done set, by modality: at least one of `needs` is required, those of `may` are optional. The content
 * service has the same rule for routines (subgraphs/content/workouts/set-fields.ts); services do not import each other.
 */
const MEASURES_OF: Readonly<Record<string, { needs: readonly Measure[]; may: readonly Measure[] }>> = {
  WEIGHT_REPS: { needs: ['reps'], may: ['weightKg'] },
  BODYWEIGHT_REPS: { needs: ['reps'], may: [] },
  WEIGHTED_BODYWEIGHT: { needs: ['reps'], may: ['weightKg'] },
  DURATION: { needs: ['durationSeconds'], may: [] },
  WEIGHT_DURATION: { needs: ['durationSeconds'], may: ['weightKg'] },
  DISTANCE_DURATION: { needs: ['distanceMeters', 'durationSeconds'], may: [] },
  WEIGHT_DISTANCE: { needs: ['distanceMeters', 'durationSeconds'], may: ['weightKg'] },
};
const MEASURES = ['reps', 'durationSeconds', 'distanceMeters', 'weightKg'] as const satisfies Measure[];

/** The planned exercise of an update. @throws VALIDATION_FAILED for a field that the routine does not have */
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
  if (exerciseId && exerciseId.toLowerCase() !== exercise.exerciseId.toLowerCase())
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
  const { needs, may } = measures;
  const has = (measure: Measure) => set[measure] !== undefined && set[measure] !== null;
  for (const measure of MEASURES)
    if (has(measure) && !needs.includes(measure) && !may.includes(measure))
      throw invalid(`set.${measure}`, `does not go with an exercise of modality ${modality}`);
  if (!needs.some(has))
    throw invalid(
      `set.${needs[0]}`,
      `expected ${needs.join(' or ')}, because the exercise is of modality ${modality}`,
    );
}

type Place = Pick<ParticipantShape, 'exerciseIndex' | 'setIndex' | 'phase'>;

const PHASES: readonly Phase[] = [Phase.WORK, Phase.REST, Phase.DONE];

/** Whether the first place in the workout comes before the second: block by block, and in a block set by set. */
export function isBefore(plan: Plan | null, one: Place, other: Place): boolean {
  const [ranks, otherRanks] = [rankOf(plan, one), rankOf(plan, other)];
  const differing = ranks.findIndex((rank, index) => rank !== otherRanks[index]);
  return differing >= 0 && (ranks[differing] as number) < (otherRanks[differing] as number);
}

const rankOf = (plan: Plan | null, { exerciseIndex, setIndex, phase }: Place): readonly number[] => [
  plan?.[exerciseIndex]?.block ?? exerciseIndex,
  setIndex,
  exerciseIndex,
  PHASES.indexOf(phase),
];
