import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { presented } from '#server/database/columns.ts';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DIFFICULTIES } from './exercises/exercise.entity.ts';
import { EXERCISE_LIBRARY } from './exercises/exercise-library.ts';
import { libraryExerciseId, type LibraryExercise } from './exercises/library-exercise.ts';
import { Product } from './products/product.entity.ts';
import { productFields } from './products/products.shapes.ts';
import { demoTrainings } from './trainings/demo-trainings.ts';
import { visibilityOf } from './workouts/ownership.ts';
import { estimatedMinutes } from './workouts/set-fields.ts';
import { WorkoutRoutine, WorkoutRoutineVersion } from './workouts/workout-routine.entity.ts';
import { SetShape, WorkoutRoutineShape } from './workouts/workouts.shapes.ts';

/**
 * Writes the demo routines and products, most of them global, and Maya's trainings. Rows that exist already are unchanged.
 * @param withHistory also the trainings of other members
 */
export async function demo(unit: UnitOfWork, withHistory: boolean): Promise<void> {
  const routines = rowsOf('routines', RoutineShape, routineOf);
  await unit.em.upsertMany(WorkoutRoutine, routines, { onConflictAction: 'ignore' });
  await unit.em.upsertMany(
    WorkoutRoutineVersion,
    routines.map((routine) => ({
      routineId: routine.id,
      version: routine.version,
      content: presented(WorkoutRoutineShape, { ...routine, visibility: visibilityOf(routine) }),
      createdAt: routine.createdAt,
    })),
    { onConflictAction: 'ignore' },
  );
  await unit.em.upsertMany(Product, rowsOf('products', ProductShape, productOf), {
    onConflictAction: 'ignore',
  });
  await demoTrainings(unit, withHistory);
}

const gym = z
  .enum(Object.keys(DEMO_GYMS) as [keyof typeof DEMO_GYMS, ...(keyof typeof DEMO_GYMS)[]])
  .optional();

/** A routine of `demo-data/routines.json`. Exercises are named as in the library; `times` repeats a set. */
const RoutineShape = z.strictObject({
  title: z.string(),
  category: z.string(),
  difficulty: z.enum(DIFFICULTIES),
  description: z.string(),
  gym,
  blocks: z.array(
    z.strictObject({
      name: z.string().optional(),
      entries: z.array(
        z.strictObject({
          exercise: z.string().transform(libraryExercise),
          sets: z.array(SetShape.extend({ times: z.int().default(1) })),
        }),
      ),
    }),
  ),
});

/** A product of `demo-data/products.json`. */
const ProductShape = z.strictObject({
  ...productFields,
  variants: productFields.variants.default([]),
  stock: productFields.stock.default(null),
  images: productFields.images.default([]),
  featuredPriority: productFields.featuredPriority.default(null),
  featuredFrom: z.null().default(null),
  featuredUntil: z.null().default(null),
  gym,
});

const WRITTEN_AT = new Date('2026-01-01T00:00:00Z');
const rowFields = (gymOf: keyof typeof DEMO_GYMS | undefined) => ({
  gymId: gymOf ? DEMO_GYMS[gymOf].id : null,
  version: 1,
  createdAt: WRITTEN_AT,
  updatedAt: WRITTEN_AT,
  deletedAt: null,
});

function routineOf({ gym: gymOf, blocks, ...fields }: z.infer<typeof RoutineShape>, index: number) {
  const used = blocks.flatMap(({ entries }) => entries.map(({ exercise }) => exercise));
  const exercises = blocks.map((block) => ({
    ...block,
    entries: block.entries.map(({ exercise, sets }) => ({
      exerciseId: libraryExerciseId(exercise.name),
      sets: sets.flatMap(({ times, ...set }) => Array.from({ length: times }, () => set)),
    })),
  }));
  return {
    id: demoId('401', index + 1),
    ...fields,
    ...rowFields(gymOf),
    ownerId: null,
    isPrivate: false,
    exercises,
    targetMuscles: [...new Set(used.flatMap(({ primaryMuscles }) => primaryMuscles))],
    equipment: [...new Set(used.map(({ equipment }) => equipment))]
      .filter((name) => name !== 'none')
      .toSorted(),
    durationMinutes: estimatedMinutes(exercises),
    image: null,
  };
}

const productOf = ({ gym: gymOf, ...fields }: z.infer<typeof ProductShape>, index: number) => ({
  id: demoId('402', index + 1),
  ...fields,
  ...rowFields(gymOf),
});

function libraryExercise(name: string): LibraryExercise {
  const exercise = EXERCISE_LIBRARY.find((one) => one.name === name);
  if (!exercise) throw new Error(`The exercise library has no "${name}".`);
  return exercise;
}

/** @throws an Error that names the wrong fields of the file */
function rowsOf<Shape extends z.ZodType, Row>(
  file: string,
  shape: Shape,
  rowOf: (entry: z.output<Shape>, index: number) => Row,
): Row[] {
  const url = new URL(`demo-data/${file}.json`, import.meta.url);
  const read = z.array(shape).safeParse(JSON.parse(readFileSync(url, 'utf8')));
  if (!read.success)
    throw new Error(`The demo data has an error in ${file}.json: ${z.prettifyError(read.error)}`);
  return read.data.map(rowOf);
}
