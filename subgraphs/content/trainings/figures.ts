import { restEndOf } from './entry-sets.ts';
import {
  SET_RECORDS,
  type BestSet,
  type SetRecord,
  type Training,
  type TrainingEntry,
  type TrainingSet,
} from './training.entity.ts';

/** The figures of one exercise in one training. */
export interface ExerciseFigures {
  exerciseId: string;
  volumeKg: number;
  bests: Partial<Record<SetRecord, BestSet>>;
}

/** Epley's formula is not reliable for more repetitions. */
const MAX_EPLEY_REPS = 12;

/** Kilograms, rounded to a gram, because a sum of decimal numbers is not exact. */
const grams = (kilograms: number): number => Math.round(kilograms * 1_000) / 1_000;

/** The weight that the user could lift once, by Epley: `w × (1 + reps / 30)`; one repetition counts as its weight. */
export function epley(weightKg: number, reps: number): number | null {
  if (weightKg <= 0 || reps < 1 || reps > MAX_EPLEY_REPS) return null;
  return reps === 1 ? weightKg : Math.round(weightKg * (1 + reps / 30) * 100) / 100;
}

/** The sum of repetitions times weight. Warm-up sets, and sets without a weight or repetitions, count 0. */
export const volumeOf = (sets: readonly TrainingSet[]): number =>
  grams(
    sets.reduce(
      (sum, { type, reps, weightKg }) => (type === 'WARMUP' ? sum : sum + (reps ?? 0) * (weightKg ?? 0)),
      0,
    ),
  );

export const volumeOfEntries = (entries: readonly TrainingEntry[]): number =>
  volumeOf(entries.flatMap(({ sets }) => sets));

/** The fields of a training that are computed again whenever its entries or its end change. */
export const computedOf = ({
  entries,
  endedAt,
}: Pick<Training, 'entries' | 'endedAt'>): Pick<Training, 'volumeKg' | 'restEndsAt'> => ({
  volumeKg: volumeOfEntries(entries),
  restEndsAt: endedAt ? null : restEndOf(entries),
});

/** The value of a set for each record; null if the set cannot be a record of this kind. */
const VALUES: Readonly<Record<SetRecord, (set: TrainingSet) => number | null>> = {
  heaviest: ({ weightKg }) => (weightKg !== null && weightKg > 0 ? weightKg : null),
  mostReps: ({ reps }) => reps,
  e1rm: ({ weightKg, reps }) => epley(weightKg ?? 0, reps ?? 0),
  longest: ({ durationSeconds }) => durationSeconds,
  farthest: ({ distanceMeters }) => distanceMeters,
};

/** The figures of each exercise that has at least one set in a training. */
export function figuresOf(entries: readonly TrainingEntry[], startedAt: Date): ExerciseFigures[] {
  return [...Map.groupBy(entries, ({ exerciseId }) => exerciseId)].flatMap(([exerciseId, parts]) => {
    const sets = parts.flatMap((part) => part.sets);
    if (sets.length === 0) return [];
    const bests: Partial<Record<SetRecord, BestSet>> = {};
    for (const record of SET_RECORDS) {
      const best = bestOf(sets, VALUES[record], startedAt);
      if (best) bests[record] = best;
    }
    return [{ exerciseId, volumeKg: volumeOf(sets), bests }];
  });
}

/** The set with the highest value; of equal ones the one with more repetitions, then with more weight, then the first. */
function bestOf(
  sets: readonly TrainingSet[],
  valueOf: (set: TrainingSet) => number | null,
  startedAt: Date,
): BestSet | undefined {
  let best: BestSet | undefined;
  for (const set of sets) {
    const value = set.type === 'WARMUP' ? null : valueOf(set);
    if (value === null) continue;
    const { reps, weightKg } = set;
    const found = { value, reps, weightKg, at: set.completedAt ?? startedAt.toISOString() };
    if (!best || isBetter(found, best)) best = found;
  }
  return best;
}

const isBetter = (one: BestSet, other: BestSet): boolean => {
  const difference =
    one.value - other.value ||
    (one.reps ?? 0) - (other.reps ?? 0) ||
    (one.weightKg ?? 0) - (other.weightKg ?? 0);
  return difference > 0;
};
