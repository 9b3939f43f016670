import { isDeepStrictEqual } from 'node:util';
import { DAY_MILLIS } from '#server/durations.ts';
import type { FieldError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { invalidFields } from '#server/validate.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import { errorsOfSet } from '../workouts/set-fields.ts';
import { MAX_SETS, type EntryInput, type SetInput } from './trainings.shapes.ts';
import type { TrainingEntry, TrainingSet } from './training.entity.ts';

/**
 * How far the time of a set may be from the beginning of its training: a training lasts at most a day, and a wrong clock or
 * time zone of a device may add another day.
 */
const MAX_DISTANCE_MILLIS = 2 * DAY_MILLIS;

/** Whether a set of a training that began at this time may have been completed at `time`. */
export const isNear = (time: string, startedAt: Date): boolean =>
  Math.abs(Date.parse(time) - startedAt.getTime()) <= MAX_DISTANCE_MILLIS;

/** The stored form of a set: with every field, and an id. */
export const storedSet = (
  { id, completedAt, ...set }: SetInput,
  defaults: { completedAt: string | null },
): TrainingSet => ({
  id: id ?? uuidv7(),
  type: set.type,
  reps: set.reps ?? null,
  weightKg: set.weightKg ?? null,
  assistedKg: set.assistedKg ?? null,
  durationSeconds: set.durationSeconds ?? null,
  distanceMeters: set.distanceMeters ?? null,
  rpe: set.rpe ?? null,
  restSeconds: set.restSeconds ?? null,
  completedAt: completedAt ? new Date(completedAt).toISOString() : defaults.completedAt,
});

export const storedEntries = (entries: readonly EntryInput[]): TrainingEntry[] =>
  entries.map(({ exerciseId, sets }) => ({
    exerciseId,
    sets: sets.map((set) => storedSet(set, { completedAt: null })),
  }));

/**
 * Checks the entries of a training. Sets that were stored before are not compared with their exercise again, because its
 * modality may have changed since.
 * @param startedAt the beginning of the training
 * @param modalityOf undefined for an exercise that the user may not use
 * @param isOneSet whether the client has sent one set only, and not entries: the paths of the errors are then those of the set
 * @throws VALIDATION_FAILED with every wrong entry and set
 */
export function checkEntries(
  entries: readonly TrainingEntry[],
  before: readonly TrainingEntry[],
  startedAt: Date,
  modalityOf: (exerciseId: string) => Modality | undefined,
  isOneSet = false,
): void {
  const errors: FieldError[] = [];
  const known = new Map(
    before.flatMap(({ exerciseId, sets }) => sets.map((set) => [set.id, { exerciseId, set }])),
  );
  const ids = new Set<string>();
  for (const [e, { exerciseId, sets }] of entries.entries()) {
    const path = `entries.${e}`;
    const modality = modalityOf(exerciseId);
    if (!modality)
      errors.push({
        path: `${path}.exerciseId`,
        message: `there is no exercise "${exerciseId}" that you may use`,
      });
    for (const [s, set] of sets.entries()) {
      if (ids.has(set.id))
        errors.push({
          path: `${path}.sets.${s}.id`,
          message: `expected another id for each set, got "${set.id}" twice`,
        });
      ids.add(set.id);
      if (set.completedAt !== null && !isNear(set.completedAt, startedAt))
        errors.push({
          path: `${path}.sets.${s}.completedAt`,
          message: 'expected a time within two days of startedAt',
        });
      if (!modality || isDeepStrictEqual(known.get(set.id), { exerciseId, set })) continue;
      for (const { path: field, message } of errorsOfSet(withoutNulls(set), modality, (measure) => measure))
        errors.push({ path: `${path}.sets.${s}${field && `.${field}`}`, message });
    }
  }
  if (ids.size > MAX_SETS)
    errors.push({ path: 'entries', message: `expected at most ${MAX_SETS} sets, got ${ids.size}` });
  if (errors.length === 0) return;
  throw invalidFields(
    isOneSet ? errors.map((error) => ({ ...error, path: error.path.replace(PLACE_OF_SET, '') })) : errors,
  );
}

const PLACE_OF_SET = /^entries(\.\d+(\.sets\.\d+)?)?\.?/;

const withoutNulls = (set: TrainingSet) => ({
  type: set.type,
  reps: set.reps ?? undefined,
  weightKg: set.weightKg ?? undefined,
  assistedKg: set.assistedKg ?? undefined,
  durationSeconds: set.durationSeconds ?? undefined,
  distanceMeters: set.distanceMeters ?? undefined,
});

/** The set of a training with this id, and its exercise. */
export function findSet(
  entries: readonly TrainingEntry[],
  setId: string,
): { exerciseId: string; set: TrainingSet } | undefined {
  for (const { exerciseId, sets } of entries) {
    const set = sets.find(({ id }) => id === setId);
    if (set) return { exerciseId, set };
  }
  return undefined;
}

/**
 * The entries with a new or changed set. A set whose exercise stays the same keeps its place; any other set goes into the
 * last entry of its exercise, or into a new entry. There it comes before the sets that were completed later, because a
 * device without a connection may send its sets late and in any order.
 */
export function withSet(
  entries: readonly TrainingEntry[],
  exerciseId: string,
  set: TrainingSet,
): TrainingEntry[] {
  const before = findSet(entries, set.id);
  if (before?.exerciseId === exerciseId)
    return entries.map((entry) => ({
      ...entry,
      sets: entry.sets.map((one) => (one.id === set.id ? set : one)),
    }));
  const others = before
    ? entries
        .map((entry) => ({ ...entry, sets: entry.sets.filter(({ id }) => id !== set.id) }))
        .filter((entry, index) => entry.sets.length > 0 || entries[index]?.sets.length === 0)
    : [...entries];
  const place = others.findLastIndex((entry) => entry.exerciseId === exerciseId);
  if (place < 0) return [...others, { exerciseId, sets: [set] }];
  return others.map((entry, index) =>
    index === place ? { ...entry, sets: inOrder(entry.sets, set) } : entry,
  );
}

function inOrder(sets: readonly TrainingSet[], set: TrainingSet): TrainingSet[] {
  const { completedAt } = set;
  const later = sets.findIndex(
    (one) => completedAt !== null && one.completedAt !== null && one.completedAt > completedAt,
  );
  return later < 0 ? [...sets, set] : [...sets.slice(0, later), set, ...sets.slice(later)];
}

/** The set that was completed last. */
function lastSet(entries: readonly TrainingEntry[]): TrainingSet | undefined {
  let last: TrainingSet | undefined;
  for (const set of entries.flatMap(({ sets }) => sets))
    if (set.completedAt !== null && (!last || set.completedAt >= (last.completedAt ?? ''))) last = set;
  return last;
}

/** When the last set was completed; null if there is no set with a time. */
export function lastCompletedAt(entries: readonly TrainingEntry[]): Date | null {
  const completedAt = lastSet(entries)?.completedAt;
  return completedAt ? new Date(completedAt) : null;
}

/** The end of the rest after the set that was completed last, by the server's clock; null if this set has no rest. */
export function restEndOf(entries: readonly TrainingEntry[]): Date | null {
  const last = lastSet(entries);
  if (!last?.completedAt || !last.restSeconds) return null;
  return new Date(Date.parse(last.completedAt) + last.restSeconds * 1_000);
}

const later = (set: TrainingSet, millis: number): TrainingSet => ({
  ...set,
  completedAt: set.completedAt && new Date(Date.parse(set.completedAt) + millis).toISOString(),
});

/** The entries of a training that moves by this number of days: so do the times of its sets. */
export const movedEntries = (entries: readonly TrainingEntry[], days: number): TrainingEntry[] =>
  entries.map((entry) => ({ ...entry, sets: entry.sets.map((set) => later(set, days * DAY_MILLIS)) }));

/** Copies of the entries, whose sets have new ids and are so many milliseconds later. */
export const copiedEntries = (entries: readonly TrainingEntry[], millis: number): TrainingEntry[] =>
  entries.map((entry) => ({
    ...entry,
    sets: entry.sets.map((set) => ({ ...later(set, millis), id: uuidv7() })),
  }));

/**
 * Adds to the entries those sets that fit the modality of their exercise, up to `MAX_SETS`; the other sets are counted as
 * ignored. A repeated set changes nothing. A set that was completed later than the stored set with the same id is a
 * correction, and replaces the stored one.
 */
export function withUsableSets(
  entries: readonly TrainingEntry[],
  sets: readonly (SetInput & { id: string; exerciseId: string })[],
  modalities: ReadonlyMap<string, Modality>,
): { entries: TrainingEntry[]; changed: number; ignored: number } {
  const result = { entries: [...entries], changed: 0, ignored: 0 };
  let count = entries.reduce((sum, entry) => sum + entry.sets.length, 0);
  for (const { exerciseId, ...input } of sets) {
    const known = findSet(result.entries, input.id)?.set;
    const set = storedSet(input, { completedAt: null });
    if (known && (set.completedAt ?? '') <= (known.completedAt ?? '')) continue;
    const modality = modalities.get(exerciseId);
    if (!modality || (!known && count >= MAX_SETS) || errorsOfSet(withoutNulls(set), modality).length > 0) {
      result.ignored += 1;
      continue;
    }
    result.entries = withSet(result.entries, exerciseId, set);
    result.changed += 1;
    if (!known) count += 1;
  }
  return result;
}
