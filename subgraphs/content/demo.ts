import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DIFFICULTIES } from './exercises/exercise.entity.ts';
import { Product } from './products/product.entity.ts';
import { productFields } from './products/products.shapes.ts';
import { demoTrainings } from './trainings/demo-trainings.ts';
import { DEMO_ROW, demoRoutine, libraryExercise, writeDemoRoutines } from './workouts/demo-routines.ts';
import { SetShape } from './workouts/workouts.shapes.ts';

/**
 * Writes the demo routines and products, most of them global, and Maya's plan and trainings. Rows that exist already are unchanged.
 * @param withHistory also the trainings of other members
 */
export async function demo(unit: UnitOfWork, withHistory: boolean): Promise<void> {
  await writeDemoRoutines(unit, rowsOf('routines', RoutineShape, routineOf));
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

const gymIdOf = (name: keyof typeof DEMO_GYMS | undefined) => (name ? DEMO_GYMS[name].id : null);

const routineOf = ({ gym: gymOf, blocks, ...fields }: z.infer<typeof RoutineShape>, index: number) =>
  demoRoutine({
    id: demoId('401', index + 1),
    ...fields,
    gymId: gymIdOf(gymOf),
    ownerId: null,
    isPrivate: false,
    blocks: blocks.map(({ entries, ...block }) => ({
      ...block,
      entries: entries.map(({ exercise, sets }) => ({
        exercise,
        sets: sets.flatMap(({ times, ...set }) => Array.from({ length: times }, () => set)),
      })),
    })),
  });

const productOf = ({ gym: gymOf, ...fields }: z.infer<typeof ProductShape>, index: number) => ({
  id: demoId('402', index + 1),
  ...fields,
  ...DEMO_ROW,
  gymId: gymIdOf(gymOf),
});

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
