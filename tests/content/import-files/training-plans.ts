import fc from 'fast-check';

/** A set of a generated training, from which a file is written. */
export interface PlannedSet {
  exercise: string;
  type: 'NORMAL' | 'WARMUP' | 'DROP' | 'FAILURE';
  reps: number;
  /** Tenths of the file's unit. */
  weight: number;
  seconds: number;
  /** Hundredths of a kilometre or mile. */
  distance: number;
  /** Seconds of rest after the set; 0: none. */
  rest: number;
  superset: boolean;
}
export interface PlannedTraining {
  /** Minutes after the beginning of 1 January 2025, in the time zone of the file. */
  start: number;
  minutes: number;
  title: string;
  sets: PlannedSet[];
}

/** The sums over the training log that an import of a file should lead to. */
export interface Sums {
  trainings: number;
  sets: number;
  reps: number;
  minutes: number;
  seconds: number;
  meters: number;
  volumeKg: number;
}

const kind = fc.constantFrom('weight', 'body', 'time', 'distance');
const set = fc
  .record({
    kind,
    name: fc.constantFrom('Moon Press', 'Row, "heavy"', 'Übung; Ä', 'Very long name '.repeat(6).trim()),
    type: fc.constantFrom('NORMAL' as const, 'WARMUP' as const, 'DROP' as const, 'FAILURE' as const),
    reps: fc.integer({ min: 1, max: 30 }),
    weight: fc.integer({ min: 1, max: 4_000 }),
    seconds: fc.integer({ min: 1, max: 5_000 }),
    distance: fc.integer({ min: 1, max: 4_000 }),
    rest: fc.constantFrom(0, 0, 90),
    superset: fc.boolean(),
  })
  .map(({ kind: is, name, ...values }) => ({
    ...values,
    exercise: `${name} ${is}`,
    reps: is === 'weight' || is === 'body' ? values.reps : 0,
    weight: is === 'weight' ? values.weight : 0,
    seconds: is === 'time' || is === 'distance' ? values.seconds : 0,
    distance: is === 'distance' ? values.distance : 0,
  }));

/** Trainings that begin in different minutes, because the times of some files have no seconds. */
export const plans: fc.Arbitrary<PlannedTraining[]> = fc.uniqueArray(
  fc.record({
    start: fc.integer({ min: 0, max: 500_000 }),
    minutes: fc.integer({ min: 1, max: 300 }),
    title: fc.constantFrom('Push', 'Legs, "hard"', '=1+1', "'=2", '@home; +2', 'Größe'),
    sets: fc.array(set, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 6, selector: ({ start }) => start },
);

/** The sums of a plan. A set counts as often as `times` says. `kgPerWeight` and `metersPerDistance` convert the units of the file. */
export function sumsOf(
  plan: readonly PlannedTraining[],
  { kgPerWeight, metersPerDistance }: { kgPerWeight: number; metersPerDistance: number },
  times: (set: PlannedSet) => number = () => 1,
): Sums {
  const sums: Sums = { trainings: 0, sets: 0, reps: 0, minutes: 0, seconds: 0, meters: 0, volumeKg: 0 };
  for (const { sets, minutes } of plan) {
    const done = sets.flatMap((one) => Array.from({ length: times(one) }, () => one));
    if (done.length === 0) continue;
    sums.trainings += 1;
    sums.minutes += minutes;
    for (const one of done) {
      sums.sets += 1;
      sums.reps += one.reps;
      sums.seconds += one.seconds;
      sums.meters += (one.distance / 100) * metersPerDistance;
      if (one.type !== 'WARMUP') sums.volumeKg += one.reps * (one.weight / 10) * kgPerWeight;
    }
  }
  return sums;
}
