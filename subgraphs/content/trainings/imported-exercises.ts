import { requireUser } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Exercises } from '../exercises/exercises.ts';
import { inLowerCase, namedExercises } from '../exercises/named-exercises.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import type { ImportedLine } from './imported-lines.ts';
import { loggedLines } from './logged-lines.ts';

/**
 * Finds the exercises of the lines by id, else by name or alias. Exercises of their own trainings are found also if they are
 * deleted, or if the user has moved to another gym. If the user can see no exercise with a name, and the training log does not
 * have the sets already, a custom exercise is added for them; its sets decide what it measures.
 */
export async function exercisesOfLines(
  unit: UnitOfWork,
  exercises: Exercises,
  lines: readonly ImportedLine[],
) {
  const { userId } = requireUser(unit.viewer);
  const ids = lines.flatMap(({ exerciseId }) => exerciseId?.toLowerCase() ?? []);
  const visible = await exercises.modalities(ids, new Set());
  const kept = await keptExercises(
    unit,
    exercises,
    lines.filter(({ exerciseId }) => exerciseId && !visible.has(exerciseId.toLowerCase())),
  );
  const byId = new Map([...visible, ...(await exercises.modalities(kept, kept))]);
  const unnamed = lines.filter(({ exerciseId }) => !exerciseId || !byId.has(exerciseId.toLowerCase()));
  const named = unnamed.filter(({ exercise }) => exercise);
  const lower = await inLowerCase(
    unit,
    named.flatMap(({ exercise }) => exercise ?? []),
  );
  const names = Map.groupBy(named, ({ exercise }) => lower.get(exercise ?? '') ?? '');
  if (names.size > 0) await exercises.lockCustom(userId);
  const byName = await exercisesByName(unit, [...names.keys()]);
  const unknown = [...names].filter(([name]) => !byName.has(name));
  const logged = await loggedLines(
    unit,
    userId,
    unknown.flatMap(([, own]) => own),
  );
  const missing = unknown
    .map(([name, own]) => [name, own.filter(({ line }) => !logged.sets.has(line))] as const)
    .filter(([, own]) => own.length > 0);
  const created =
    missing.length === 0
      ? []
      : await exercises.addCustom(
          userId,
          missing.map(([, own]) => customExercise(own)),
        );
  for (const [index, exercise] of created.entries()) byName.set(missing[index]?.[0] ?? '', exercise);
  const modalities = new Map<string, Modality>(byId);
  for (const { id, modality } of byName.values()) modalities.set(id, modality);
  const known = lines.map((line) => {
    const id = line.exerciseId?.toLowerCase();
    const knownExercise =
      id && byId.has(id) ? id : (byName.get(lower.get(line.exercise ?? '') ?? '')?.id ?? null);
    return { ...line, knownExercise };
  });
  return { created, known, modalities };
}

/** The exercises of the lines that the user has trained, or that a training of theirs has without sets. */
async function keptExercises(
  unit: UnitOfWork,
  exercises: Exercises,
  unseen: readonly ImportedLine[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(unseen.flatMap(({ exerciseId }) => exerciseId?.toLowerCase() ?? []));
  const logged = await loggedLines(unit, requireUser(unit.viewer).userId, unseen);
  return new Set([...(await exercises.trained(ids)), ...[...logged.exercises].filter((id) => ids.has(id))]);
}

/** Strong and Hevy write `Bench Press (Barbell)`, the library `Barbell Bench Press`. */
async function exercisesByName(unit: UnitOfWork, names: readonly string[]) {
  const others = new Map(
    names.flatMap((name) => {
      const [, exercise, equipment] = /^(.+) \((.+)\)$/.exec(name) ?? [];
      return exercise && equipment ? [[name, `${equipment} ${exercise}`] as const] : [];
    }),
  );
  const found = await namedExercises(unit, [...new Set([...names, ...others.values()])]);
  for (const [name, other] of others) {
    const exercise = found.get(name) ?? found.get(other);
    if (exercise) found.set(name, exercise);
  }
  return found;
}

function customExercise(lines: readonly ImportedLine[]): Parameters<Exercises['addCustom']>[1][number] {
  const has = (measure: 'weightKg' | 'assistedKg' | 'durationSeconds' | 'distanceMeters' | 'reps') =>
    lines.some(({ set }) => set && set[measure] !== null && set[measure] !== undefined);
  return {
    name: (lines[0] as ImportedLine).exercise ?? '', // a group has at least one line, and its lines have a name
    aliases: [],
    instructions: [],
    primaryMuscles: [],
    secondaryMuscles: [],
    equipment: 'other',
    level: 'Beginner',
    category: has('distanceMeters') ? 'cardio' : 'strength',
    modality: lines.find(({ modality }) => modality)?.modality ?? modalityOf(has),
  };
}

function modalityOf(
  has: (measure: 'weightKg' | 'assistedKg' | 'durationSeconds' | 'distanceMeters' | 'reps') => boolean,
): Modality {
  if (has('reps')) return has('assistedKg') ? 'WEIGHTED_BODYWEIGHT' : 'WEIGHT_REPS';
  if (has('distanceMeters')) return has('weightKg') ? 'WEIGHT_DISTANCE' : 'DISTANCE_DURATION';
  if (has('durationSeconds')) return has('weightKg') ? 'WEIGHT_DURATION' : 'DURATION';
  return 'WEIGHT_REPS';
}
