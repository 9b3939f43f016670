import { isErased } from '#server/accounts/erased-accounts.ts';
import { addDays, dayOf, instantOf, startOfBucket } from '#server/calendar.ts';
import { Seeded, TRAINING_HABITS, trainingTimes } from '#server/demo-history.ts';
import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { libraryExerciseId } from '../exercises/library-exercise.ts';
import { volumeOfEntries } from './figures.ts';
import { storeFigures } from './training-figures.ts';
import { Training, type TrainingEntry } from './training.entity.ts';

const WEEKS = 8;
const MINUTES = 50;

/** An exercise with its first weight, what is added each week, and the repetitions of its sets. */
type Lift = readonly [exercise: string, weightKg: number, addedKg: number, reps: readonly number[]];

/** The plan of each day of the week, from Monday on. */
const DAYS: Readonly<Record<number, { title: string; lifts: readonly Lift[] }>> = {
  0: {
    title: 'Squat and press',
    lifts: [
      ['Barbell Back Squat', 50, 2.5, [8, 8, 8]],
      ['Barbell Bench Press', 30, 1.25, [8, 8, 7]],
      ['Plank', 0, 0, []],
    ],
  },
  2: {
    title: 'Pull',
    lifts: [
      ['Barbell Deadlift', 60, 2.5, [5, 5, 5]],
      ['Bent Over Barbell Row', 30, 1.25, [10, 10, 9]],
    ],
  },
  4: {
    title: 'Press',
    lifts: [
      ['Barbell Bench Press', 32.5, 1.25, [5, 5, 5]],
      ['Overhead Press', 20, 1.25, [8, 7, 6]],
    ],
  },
};

/**
 * Writes the trainings of the demo user Maya: three a week in the eight weeks before the first start of the service.
 * @param withHistory also four weeks of trainings of other members of the demo gyms
 */
export async function demoTrainings(unit: UnitOfWork, withHistory: boolean): Promise<void> {
  const maya = demoPerson('maya@iron.test');
  await unit.transaction(async () => {
    // Only once, because the days are relative to today: a later start must not move them.
    if (await unit.em.count(Training, { userId: maya.id })) return;
    // A demo account that was deleted gets no new data.
    if (await isErased(unit, maya.id)) return;
    const monday = startOfBucket(dayOf(new Date(), maya.timezone), 'WEEK');
    const trainings = Array.from({ length: WEEKS }, (_unused, week) =>
      Object.entries(DAYS).map(([day, { title, lifts }], index) => {
        const localDate = addDays(monday, (week - WEEKS) * 7 + Number(day));
        const startedAt = instantOf(localDate, '18:00', maya.timezone);
        return trainingRow({
          id: demoId('403', week * 3 + index + 1),
          userId: maya.id,
          title,
          localDate,
          startedAt,
          minutes: MINUTES,
          entries: lifts.map((lift, place) => entryOf(lift, week, startedAt, place)),
        });
      }),
    ).flat();
    const all = [...trainings, ...(withHistory ? trainingsOfOthers(new Date()) : [])];
    await unit.em.insertMany(Training, all);
    await storeFigures(unit, all);
  });
}

type TrainingInput = Pick<
  Training,
  'id' | 'userId' | 'title' | 'localDate' | 'startedAt' | 'minutes' | 'entries'
>;

const trainingRow = (training: TrainingInput & { minutes: number }) => ({
  ...training,
  endedAt: new Date(training.startedAt.getTime() + training.minutes * 60_000),
  volumeKg: volumeOfEntries(training.entries),
  createdAt: training.startedAt,
  updatedAt: training.startedAt,
  version: 1,
});

/** Trainings by the same plans, with other weights for each member. An account that was deleted gets none: its rows are refused. */
function trainingsOfOthers(now: Date) {
  const random = new Seeded('content');
  const maya = demoPerson('maya@iron.test').id;
  const plans = Object.values(DAYS);
  return TRAINING_HABITS.filter(({ userId }) => userId !== maya).flatMap((one) => {
    const strength = 0.7 + random.number();
    return trainingTimes(one, now).map(({ day, startedAt }, index) => {
      const { title, lifts } = plans[index % plans.length] as (typeof plans)[number];
      const week = Math.floor(index / one.weekdays.length);
      const entries = lifts
        .map(([name, weightKg, addedKg, reps]): Lift => [name, plates(weightKg * strength), addedKg, reps])
        .map((lift, place) => entryOf(lift, week, startedAt, place));
      return trainingRow({
        id: random.idAt(startedAt),
        userId: one.userId,
        title,
        localDate: day,
        startedAt,
        entries,
        minutes: one.minutes,
      });
    });
  });
}

/** The nearest weight that plates of 1.25 kg make. */
const plates = (weightKg: number): number => Math.round(weightKg / 2.5) * 2.5;

function entryOf(
  [exercise, weightKg, addedKg, reps]: Lift,
  week: number,
  startedAt: Date,
  place: number,
): TrainingEntry {
  const set = (index: number) => ({
    id: `demo-${place + 1}-${index + 1}`,
    type: 'NORMAL' as const,
    reps: null,
    weightKg: null,
    assistedKg: null,
    durationSeconds: null,
    distanceMeters: null,
    rpe: null,
    restSeconds: 90,
    completedAt: new Date(startedAt.getTime() + (place * 15 + index * 4 + 5) * 60_000).toISOString(),
  });
  return {
    exerciseId: libraryExerciseId(exercise),
    sets:
      reps.length === 0
        ? [{ ...set(0), durationSeconds: 45 + week * 5 }]
        : reps.map((count, index) => ({ ...set(index), reps: count, weightKg: weightKg + week * addedKg })),
  };
}
