import { presented } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { EXERCISE_LIBRARY } from '../exercises/exercise-library.ts';
import { libraryExerciseId, type LibraryExercise } from '../exercises/library-exercise.ts';
import { visibilityOf, type Ownership } from './ownership.ts';
import { estimatedMinutes } from './set-fields.ts';
import { WorkoutRoutine, WorkoutRoutineVersion, type Block } from './workout-routine.entity.ts';
import { StoredVersionShape } from './workouts.shapes.ts';

const WRITTEN_AT = new Date('2026-01-01T00:00:00Z');

/** The columns that all rows of the demo have in common. */
export const DEMO_ROW = { version: 1, createdAt: WRITTEN_AT, updatedAt: WRITTEN_AT, deletedAt: null };

/** @throws an Error for an exercise that the library does not have */
export function libraryExercise(name: string): LibraryExercise {
  const exercise = EXERCISE_LIBRARY.find((one) => one.name === name);
  if (!exercise) throw new Error(`The exercise library has no "${name}".`);
  return exercise;
}

/** What a demo routine consists of; exercises are named as in the library. */
type DemoRoutine = Ownership &
  Pick<WorkoutRoutine, 'id' | 'title' | 'category' | 'difficulty'> & {
    description: string;
    blocks: (Omit<Block, 'entries'> & {
      entries: { exercise: LibraryExercise; sets: Block['entries'][number]['sets'] }[];
    })[];
  };

/** The row of a demo routine. Its muscles, equipment and minutes follow from its exercises. */
export function demoRoutine({ blocks, ...fields }: DemoRoutine) {
  const used = blocks.flatMap(({ entries }) => entries.map(({ exercise }) => exercise));
  const exercises = blocks.map((block) => ({
    ...block,
    entries: block.entries.map(({ exercise, sets }) => ({
      exerciseId: libraryExerciseId(exercise.name),
      sets,
    })),
  }));
  return {
    ...fields,
    ...DEMO_ROW,
    exercises,
    targetMuscles: [...new Set(used.flatMap(({ primaryMuscles }) => primaryMuscles))],
    equipment: [...new Set(used.map(({ equipment }) => equipment))]
      .filter((name) => name !== 'none')
      .toSorted(),
    durationMinutes: estimatedMinutes(exercises),
    image: null,
  };
}

/** Writes demo routines with their first versions. Rows that exist already are unchanged. */
export async function writeDemoRoutines(
  unit: UnitOfWork,
  routines: readonly ReturnType<typeof demoRoutine>[],
): Promise<void> {
  await unit.em.upsertMany(WorkoutRoutine, [...routines], { onConflictAction: 'ignore' });
  await unit.em.upsertMany(
    WorkoutRoutineVersion,
    routines.map((routine) => ({
      routineId: routine.id,
      version: routine.version,
      content: presented(StoredVersionShape, { ...routine, visibility: visibilityOf(routine) }),
      createdAt: routine.createdAt,
    })),
    { onConflictAction: 'ignore' },
  );
}
