import type { Challenge, Set, Training } from './model.ts';

/**
 * A recount of a season in the plainest possible way, for comparison: no SQL, and no function of the platform. Every figure is
 * computed from all sets of all trainings.
 */

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;

export const localDay = (instant: number, timezone: string): string => {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(instant);
  return parts;
};

const volume = (sets: readonly Set[]): number => {
  let sum = 0;
  for (const set of sets)
    if (set.type !== 'WARMUP' && set.reps !== undefined && set.weightKg !== undefined)
      sum += set.reps * set.weightKg;
  return sum;
};

const setsOf = (training: Training, exerciseId: string): Set[] => {
  const sets: Set[] = [];
  for (const entry of training.entries) if (entry.exerciseId === exerciseId) sets.push(...entry.sets);
  return sets;
};

/** The estimated weight for one repetition, by Epley's formula; undefined without weight, or with more than 12 repetitions. */
const oneRepetition = ({ reps = 0, weightKg = 0 }: Set): number | undefined => {
  if (weightKg === 0 || reps === 0 || reps > 12) return undefined;
  return reps === 1 ? weightKg : weightKg * (1 + reps / 30);
};

export interface Record {
  value: number;
  reps: number | null;
  weightKg: number | null;
}

/** The set with the highest value; of equal values the one with more repetitions, then the one with more weight. */
function highest(sets: readonly Set[], valueOf: (set: Set) => number | undefined): Record | null {
  let best: Record | null = null;
  for (const set of sets) {
    const value = valueOf(set);
    if (set.type === 'WARMUP' || value === undefined) continue;
    const found = { value, reps: set.reps ?? null, weightKg: set.weightKg ?? null };
    const order = (one: Record) => [one.value, one.reps ?? 0, one.weightKg ?? 0] as const;
    if (best === null) best = found;
    else {
      const [a, b] = [order(found), order(best)];
      if (
        a[0] > b[0] + 1e-9 ||
        (Math.abs(a[0] - b[0]) <= 1e-9 && (a[1] > b[1] || (a[1] === b[1] && a[2] > b[2])))
      )
        best = found;
    }
  }
  return best;
}

export function records(trainings: readonly Training[], exerciseId: string) {
  const sets = trainings.flatMap((training) => setsOf(training, exerciseId));
  let mostVolume = 0;
  for (const training of trainings) mostVolume = Math.max(mostVolume, volume(setsOf(training, exerciseId)));
  return {
    heaviest: highest(sets, ({ weightKg }) => weightKg),
    mostReps: highest(sets, ({ reps }) => reps),
    e1rm: highest(sets, oneRepetition),
    longest: highest(sets, ({ durationSeconds }) => durationSeconds),
    farthest: highest(sets, ({ distanceMeters }) => distanceMeters),
    volume: mostVolume > 0 ? mostVolume : null,
  };
}

const METRICS = {
  E1RM: (sets: readonly Set[]) => highest(sets, oneRepetition)?.value,
  MAX_WEIGHT: (sets: readonly Set[]) => highest(sets, ({ weightKg }) => weightKg)?.value,
  REPS: (sets: readonly Set[]) => highest(sets, ({ reps }) => reps)?.value,
  VOLUME: (sets: readonly Set[]) => volume(sets) || undefined,
} as const;
export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

export const series = (trainings: readonly Training[], exerciseId: string, metric: Metric) =>
  trainings
    .toSorted((one, other) => one.start - other.start)
    .flatMap((training) => {
      const value = METRICS[metric](setsOf(training, exerciseId));
      return value === undefined ? [] : [{ date: localDay(training.start, training.timezone), value }];
    });

/** The sets of the latest training with the exercise; no two trainings begin at the same time. */
export function lastSets(trainings: readonly Training[], exerciseId: string): Set[] {
  let last: Training | undefined;
  for (const training of trainings)
    if (setsOf(training, exerciseId).length > 0 && (!last || training.start > last.start)) last = training;
  return last ? setsOf(last, exerciseId) : [];
}

export function summary(
  trainings: readonly Training[],
  from: string,
  to: string,
  musclesOf: ReadonlyMap<string, readonly string[]>,
) {
  const result = { count: 0, minutes: 0, volumeKg: 0, byMuscle: new Map<string, number>() };
  for (const training of trainings) {
    const day = localDay(training.start, training.timezone);
    if (day < from || day > to) continue;
    result.count += 1;
    result.minutes += training.minutes;
    for (const { exerciseId, sets } of training.entries) {
      const kilograms = volume(sets);
      result.volumeKg += kilograms;
      if (kilograms > 0)
        for (const muscle of musclesOf.get(exerciseId) ?? [])
          result.byMuscle.set(muscle, (result.byMuscle.get(muscle) ?? 0) + kilograms);
    }
  }
  return result;
}

/** Weeks since a Monday long ago, without a calendar. */
const weekOf = (day: string): number =>
  Math.floor((Date.parse(`${day}T00:00:00Z`) - Date.UTC(1970, 0, 5)) / DAY_MILLIS / 7);

export function streakWeeks(trainings: readonly Training[], today: string): number {
  const weeks = new Set(
    trainings
      .map(({ start, timezone }) => localDay(start, timezone))
      .filter((day) => day <= today)
      .map(weekOf),
  );
  let week = weekOf(today);
  if (!weeks.has(week)) week -= 1;
  let streak = 0;
  while (weeks.has(week)) {
    streak += 1;
    week -= 1;
  }
  return streak;
}

/** The number of trainings; or of minutes, each counted once, with the highest share of a training that covers it. */
export function score(trainings: readonly Training[], { metric, start, end }: Challenge): number {
  const counted = trainings.filter((one) => one.end !== null && one.start >= start && one.start < end);
  if (metric === 'WORKOUTS') return counted.length;
  const minutes = new Map<number, number>();
  for (const { start: began, end: ended, minutes: own } of counted)
    for (let minute = began; minute < (ended ?? 0); minute += MINUTE_MILLIS) {
      // The last minute of a live squad is not a whole one; no other training overlaps with it.
      const part = Math.min(MINUTE_MILLIS, (ended ?? 0) - minute) / ((ended ?? 0) - began);
      minutes.set(minute, Math.max(minutes.get(minute) ?? 0, own * part));
    }
  let sum = 0;
  for (const share of minutes.values()) sum += share;
  return Math.floor(sum + 1e-6);
}
