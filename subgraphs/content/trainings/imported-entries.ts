import { PlatformError } from '#server/errors.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import { checkEntries, storedSet, withSet } from './entry-sets.ts';
import type { ImportedLine, LineError } from './imported-lines.ts';
import { MAX_SETS } from './trainings.shapes.ts';
import type { TrainingEntry } from './training.entity.ts';

/**
 * A line with the id of its exercise; null if the line names no exercise, or only an id that the user may not use, or if its set
 * is logged already and nobody needs its exercise.
 */
export type KnownLine = ImportedLine & { knownExercise: string | null };

type Outcome = 'added' | 'duplicate' | LineError;

/**
 * Adds to the entries of a training those sets of the lines that it does not have yet.
 * @param before undefined if there is no such training yet
 */
export function mergedEntries(
  before: readonly TrainingEntry[] | undefined,
  lines: readonly KnownLine[],
  modalities: ReadonlyMap<string, Modality>,
  startedAt: Date,
) {
  const merge = new Merge(before, modalities, startedAt);
  const result = { added: 0, duplicates: 0, errors: [] as LineError[] };
  const outcomes = new Map<number, Outcome>();
  for (const line of lines) {
    const outcome = merge.add(line, outcomes);
    outcomes.set(line.line, outcome);
    if (outcome === 'added') result.added += 1;
    else if (outcome === 'duplicate') result.duplicates += 1;
    else result.errors.push(outcome);
  }
  return { ...result, entries: merge.entries };
}

class Merge {
  entries: TrainingEntry[];
  private readonly isNew: boolean;
  private readonly modalities: ReadonlyMap<string, Modality>;
  private readonly startedAt: Date;
  private readonly ids: Set<string>;

  constructor(
    before: readonly TrainingEntry[] | undefined,
    modalities: ReadonlyMap<string, Modality>,
    startedAt: Date,
  ) {
    this.entries = [...(before ?? [])];
    this.isNew = before === undefined;
    this.modalities = modalities;
    this.startedAt = startedAt;
    this.ids = new Set(this.entries.flatMap(({ sets }) => sets.map(({ id }) => id)));
  }

  add({ line, knownExercise, set, restAfter }: KnownLine, outcomes: ReadonlyMap<number, Outcome>): Outcome {
    const wrong = (column: string | null, message: string): LineError => ({ line, column, message });
    if (restAfter !== undefined) {
      const outcome = outcomes.get(restAfter);
      return typeof outcome === 'string' ? outcome : wrong(null, 'the set before this rest is wrong');
    }
    if (!set) return this.addExercise(knownExercise);
    if (this.ids.has(set.id)) return 'duplicate';
    if (!knownExercise) return wrong('exerciseId', 'there is no such exercise; expected its name, too');
    if (this.ids.size >= MAX_SETS)
      return wrong(null, `expected at most ${MAX_SETS} sets in a training; this one is too many`);
    const added = storedSet(set, { completedAt: null });
    try {
      // The set alone: to check the whole training for each of its sets would take quadratic time.
      checkEntries(
        [{ exerciseId: knownExercise, sets: [added] }],
        [],
        this.startedAt,
        (id) => this.modalities.get(id) ?? 'WEIGHT_REPS',
      );
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const [first] = error.errors ?? [];
      return wrong(first?.path.split('.')[4] ?? null, first?.message ?? error.message); // entries.0.sets.0.reps
    }
    this.ids.add(set.id);
    const last = this.entries.at(-1);
    if (!this.isNew) this.entries = withSet(this.entries, knownExercise, added);
    else if (last?.exerciseId === knownExercise) last.sets.push(added);
    else this.entries.push({ exerciseId: knownExercise, sets: [added] });
    return 'added';
  }

  private addExercise(exerciseId: string | null): Outcome {
    const isKnown = !exerciseId || this.entries.some((entry) => entry.exerciseId === exerciseId);
    if (!isKnown) this.entries.push({ exerciseId, sets: [] });
    return this.isNew || !isKnown ? 'added' : 'duplicate';
  }
}
