import type { FieldError } from '#server/errors.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import type { Block, WorkoutSet } from './workouts.shapes.ts';

type Measure = 'reps' | 'durationSeconds' | 'distanceMeters' | 'weightKg' | 'assistedKg';

/**
 * The measures of each modality: a set must have at least one of `oneOf`, and may have those of `optional`. Every set may
 * have `rpe` and `restSeconds`; with reps, also `tempo`.
 */
const FIELDS: Record<Modality, { oneOf: readonly Measure[]; optional: readonly Measure[] }> = {
  WEIGHT_REPS: { oneOf: ['reps'], optional: ['weightKg'] },
  BODYWEIGHT_REPS: { oneOf: ['reps'], optional: [] },
  WEIGHTED_BODYWEIGHT: { oneOf: ['reps'], optional: ['weightKg', 'assistedKg'] },
  DURATION: { oneOf: ['durationSeconds'], optional: [] },
  WEIGHT_DURATION: { oneOf: ['durationSeconds'], optional: ['weightKg'] },
  DISTANCE_DURATION: { oneOf: ['distanceMeters', 'durationSeconds'], optional: [] },
  WEIGHT_DISTANCE: { oneOf: ['distanceMeters', 'durationSeconds'], optional: ['weightKg'] },
};

const MEASURES = [
  'reps',
  'durationSeconds',
  'distanceMeters',
  'weightKg',
  'assistedKg',
] as const satisfies Measure[];

/** The errors in the sets of the blocks, by the modality of each exercise; empty if there are none. */
export function setErrors(
  blocks: readonly Block[],
  modalityOf: (exerciseId: string) => Modality | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [b, block] of blocks.entries()) {
    for (const [e, entry] of block.entries.entries()) {
      const path = `exercises.${b}.entries.${e}`;
      const modality = modalityOf(entry.exerciseId);
      if (!modality)
        errors.push({
          path: `${path}.exerciseId`,
          message: `there is no exercise "${entry.exerciseId}" that this routine may use`,
        });
      else
        for (const [s, set] of entry.sets.entries())
          errors.push(
            ...errorsOfSet(set, modality).map(({ path: field, message }) => ({
              path: `${path}.sets.${s}${field && `.${field}`}`,
              message,
            })),
          );
    }
  }
  return errors;
}

/**
 * The errors in one set, with paths in the set; empty if there are none.
 * @param nameOf the name of a measure in messages; by default as for a planned set, which may have `repRange` instead of `reps`
 */
export function errorsOfSet(
  set: WorkoutSet,
  modality: Modality,
  nameOf: (measure: Measure) => string = nameOfPlanned,
): FieldError[] {
  const { oneOf, optional } = FIELDS[modality];
  const errors: FieldError[] = [];
  const has = (measure: Measure) =>
    measure === 'reps' ? set.reps !== undefined || set.repRange !== undefined : set[measure] !== undefined;
  if (set.reps !== undefined && set.repRange)
    errors.push({ path: '', message: 'expected reps or repRange, got both' });
  if (has('weightKg') && has('assistedKg'))
    errors.push({ path: 'assistedKg', message: 'expected weightKg or assistedKg, got both' });
  if (!oneOf.some(has))
    errors.push({
      path: '',
      message: `expected ${oneOf.map(nameOf).join(' or ')}, because the exercise is of modality ${modality}`,
    });
  for (const measure of MEASURES) {
    if (has(measure) && !oneOf.includes(measure) && !optional.includes(measure))
      errors.push({ path: measure, message: `does not go with an exercise of modality ${modality}` });
  }
  if (set.tempo !== undefined && !oneOf.includes('reps'))
    errors.push({ path: 'tempo', message: `does not go with an exercise of modality ${modality}` });
  return errors;
}

const nameOfPlanned = (measure: Measure): string => (measure === 'reps' ? 'reps or repRange' : measure);

const SECONDS_PER_REP = 4;
const SECONDS_PER_KILOMETRE = 360; // a 6-minute kilometre
const SECONDS_BETWEEN_SETS = 60; // if the set has no `restSeconds`

/** The estimated duration of the blocks in whole minutes, 1 to 1,440. */
export function estimatedMinutes(blocks: readonly Block[]): number {
  const seconds = blocks
    .flatMap((block) => block.entries.flatMap((entry) => entry.sets))
    .reduce((sum, set) => sum + secondsOf(set) + (set.restSeconds ?? SECONDS_BETWEEN_SETS), 0);
  return Math.min(1_440, Math.max(1, Math.round(seconds / 60)));
}

const secondsOf = (set: WorkoutSet): number =>
  set.durationSeconds ??
  (set.distanceMeters !== undefined
    ? (set.distanceMeters / 1000) * SECONDS_PER_KILOMETRE
    : (set.reps ?? set.repRange?.max ?? 0) * SECONDS_PER_REP);
