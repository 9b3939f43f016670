import { isErased } from '#server/accounts/erased-accounts.ts';
import { addDays, dayOf, instantOf, startOfBucket } from '#server/calendar.ts';
import { Seeded, TRAINING_HABITS, trainingTimes } from '#server/demo-history.ts';
import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { libraryExerciseId } from '../exercises/library-exercise.ts';
import { demoRoutine, libraryExercise, writeDemoRoutines } from '../workouts/demo-routines.ts';
import { volumeOfEntries } from './figures.ts';
import { storeFigures } from './training-figures.ts';
import { Training, type TrainingEntry } from './training.entity.ts';

const WEEKS = 8;
const MINUTES = 50;
const REST_SECONDS = 90;

/** An exercise with its first weight, what is added each week, and the repetitions of its sets. */
type Lift = readonly [exercise: string, weightKg: number, addedKg: number, reps: readonly number[]];

/** Maya's plans by the day of the week for which they are; 0 is Monday. */
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
 * Writes the trainings of the demo user Maya, three a week in the eight weeks before the first start of the service and in the
 * week of the start, and the routines that Maya has written and trains.
 * @param withHistory also four weeks of trainings of other members of the demo gyms
 */
export async function demoTrainings(unit: UnitOfWork, withHistory: boolean): Promise<void> {
  const maya = demoPerson('maya@iron.test');
  await unit.transaction(async () => {
    // Only once, because the days are relative to today: a later start must not move them.
    if (await unit.em.count(Training, { userId: maya.id })) return;
    // A demo account that was deleted gets no new data.
    if (await isErased(unit, maya.id)) return;
    await writeDemoRoutines(
      unit,
      Object.values(DAYS).map((day, index) => routineOf(day, maya.id, index)),
    );
    const now = new Date();
    const monday = startOfBucket(dayOf(now, maya.timezone), 'WEEK');
    const trainings = Array.from({ length: WEEKS + 1 }, (_unused, week) =>
      Object.entries(DAYS).map(([day, { title, lifts }], index) => {
        const localDate = addDays(monday, (week - WEEKS) * 7 + Number(day));
        const startedAt = instantOf(localDate, '18:00', maya.timezone);
        return trainingRow({
          id: demoId('403', week * 3 + index + 1),
          userId: maya.id,
          title,
          routineId: routineId(index),
          routineVersion: 1,
          localDate,
          startedAt,
          minutes: MINUTES,
          entries: lifts.map((lift, place) => entryOf(lift, week, startedAt, place)),
        });
      }),
    )
      .flat()
      .filter(({ endedAt }) => endedAt <= now);
    const all = [...trainings, ...(withHistory ? trainingsOfOthers(now) : [])];
    await unit.em.insertMany(Training, all);
    await storeFigures(unit, all);
  });
}

/** The ids of Maya's routines follow those of `demo-data/routines.json`. */
const routineId = (index: number): string => demoId('401', 101 + index);

const routineOf = ({ title, lifts }: (typeof DAYS)[number], ownerId: string, index: number) => ({
  ...demoRoutine({
    id: routineId(index),
    title,
    category: 'Strength',
    difficulty: 'Intermediate',
    description: 'One of my three days.',
    gymId: null,
    ownerId,
    isPrivate: true,
    blocks: [
      {
        entries: lifts.map(([exercise, , , reps]) => ({
          exercise: libraryExercise(exercise),
          sets:
            reps.length === 0
              ? [{ type: 'NORMAL', durationSeconds: 60, restSeconds: REST_SECONDS }]
              : reps.map((count) => ({ type: 'NORMAL', reps: count, restSeconds: REST_SECONDS })),
        })),
      },
    ],
  }),
  durationMinutes: MINUTES,
});

type TrainingInput = Pick<
  Training,
  'id' | 'userId' | 'title' | 'localDate' | 'startedAt' | 'minutes' | 'entries'
> &
  Partial<Pick<Training, 'routineId' | 'routineVersion'>>;

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

/** The nearest weight that pairs of plates of 1.25 kg make. */
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
    restSeconds: REST_SECONDS,
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
