import { isErased } from '#server/accounts/erased-accounts.ts';
import { addDays, dayOf, instantOf, startOfBucket } from '#server/calendar.ts';
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

/** Writes the trainings of the demo user Maya: three a week in the eight weeks before the first start of the service. */
export async function demoTrainings(unit: UnitOfWork): Promise<void> {
  const maya = demoPerson('maya@iron.test');
  await unit.transaction(async () => {
    // Only once, because the days are relative to today: a later start must not move them.
    if (await unit.em.count(Training, { userId: maya.id })) return;
    // A demo account that was deleted gets no new data.
    if (await isErased(unit, maya.id)) return;
    const monday = startOfBucket(dayOf(new Date(), maya.timezone), 'WEEK');
    const trainings = Array.from({ length: WEEKS }, (_unused, week) =>
      Object.entries(DAYS).map(([day, plan], index) => {
        const localDate = addDays(monday, (week - WEEKS) * 7 + Number(day));
        const startedAt = instantOf(localDate, '18:00', maya.timezone);
        const entries = plan.lifts.map((lift, place) => entryOf(lift, week, startedAt, place));
        return unit.em.create(Training, {
          id: demoId('403', week * 3 + index + 1),
          userId: maya.id,
          title: plan.title,
          startedAt,
          endedAt: new Date(startedAt.getTime() + MINUTES * 60_000),
          localDate,
          minutes: MINUTES,
          entries,
          volumeKg: volumeOfEntries(entries),
          createdAt: startedAt,
          updatedAt: startedAt,
          version: 1,
        });
      }),
    ).flat();
    await unit.em.flush();
    await storeFigures(unit, trainings);
  });
}

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
