import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { EXERCISE_LIBRARY } from './exercises/exercise-library.ts';
import type { Difficulty } from './exercises/exercises.shapes.ts';
import { libraryExerciseId } from './exercises/library-exercise.ts';
import { Product, type ProductKind, type Variant } from './products/product.entity.ts';
import { estimatedMinutes } from './workouts/set-fields.ts';
import { WorkoutRoutine, WorkoutRoutineVersion } from './workouts/workout-routine.entity.ts';
import type { Block, WorkoutSet } from './workouts/workouts.shapes.ts';

/** Routines and products, most of them everybody's; what is there already stays as it is. */
export async function demo(unit: UnitOfWork): Promise<void> {
  await unit.em.upsertMany(WorkoutRoutine, ROUTINES, { onConflictAction: 'ignore' });
  await unit.em.upsertMany(WorkoutRoutineVersion, ROUTINES.map(firstVersion), { onConflictAction: 'ignore' });
  await unit.em.upsertMany(Product, PRODUCTS, { onConflictAction: 'ignore' });
}

const at = new Date('2026-01-01T00:00:00Z');
const library = new Map(EXERCISE_LIBRARY.map((exercise) => [exercise.name, exercise]));

function find(name: string) {
  const exercise = library.get(name);
  if (!exercise) throw new Error(`The exercise library has no "${name}".`);
  return exercise;
}

// The wording of a training plan: `block(straight('Front Squat', 3, reps(5, 60)))`.
const reps = (count: number, weightKg?: number, restSeconds = 90): WorkoutSet => ({
  type: 'NORMAL',
  reps: count,
  ...(weightKg !== undefined && { weightKg }),
  restSeconds,
});
const range = (min: number, max: number, rpe = 8, restSeconds = 90): WorkoutSet => ({
  type: 'NORMAL',
  repRange: { min, max },
  rpe,
  restSeconds,
});
const warmup = (count: number, weightKg: number): WorkoutSet => ({
  type: 'WARMUP',
  reps: count,
  weightKg,
  restSeconds: 60,
});
const hold = (durationSeconds: number, restSeconds = 30): WorkoutSet => ({
  type: 'NORMAL',
  durationSeconds,
  restSeconds,
});
const metres = (distanceMeters: number, restSeconds = 90): WorkoutSet => ({
  type: 'NORMAL',
  distanceMeters,
  restSeconds,
});
const straight = (name: string, times: number, set: WorkoutSet, before: WorkoutSet[] = []) => ({
  exerciseId: libraryExerciseId(find(name).name),
  sets: [...before, ...Array.from({ length: times }, () => set)],
});
const block = (...entries: Block['entries']): Block => ({ entries });
const named = (name: string, ...entries: Block['entries']): Block => ({ name, entries });

let index = 0;
function routine(
  title: string,
  category: string,
  difficulty: Difficulty,
  description: string,
  exercises: Block[],
  gymId: string | null = null,
) {
  index += 1;
  const used = exercises.flatMap((one) =>
    one.entries.map((entry) =>
      EXERCISE_LIBRARY.find((exercise) => libraryExerciseId(exercise.name) === entry.exerciseId),
    ),
  );
  return {
    id: demoId('401', index),
    gymId,
    title,
    description,
    difficulty,
    category,
    targetMuscles: [...new Set(used.flatMap((exercise) => exercise?.primaryMuscles ?? []))],
    equipment: [...new Set(used.map((exercise) => exercise?.equipment ?? 'none'))]
      .filter((name) => name !== 'none')
      .toSorted(),
    exercises,
    durationMinutes: estimatedMinutes(exercises),
    image: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
}

const ROUTINES = [
  routine(
    'Full Body Foundations',
    'Strength',
    'Beginner',
    'Three times a week: the basic movements with weights that leave something in the tank.',
    [
      block(straight('Goblet Squat', 3, range(8, 12, 7))),
      block(straight('Dumbbell Bench Press', 3, range(8, 12, 7))),
      block(straight('Seated Cable Row', 3, range(10, 12, 7))),
      block(straight('Dumbbell Shoulder Press', 2, range(8, 12, 7)), straight('Plank', 2, hold(30))),
    ],
  ),
  routine('Push Day', 'Strength', 'Intermediate', 'Chest, shoulders and triceps.', [
    block(straight('Barbell Bench Press', 4, range(5, 8), [warmup(10, 20), warmup(5, 40)])),
    block(straight('Overhead Press', 3, range(6, 8))),
    block(straight('Incline Dumbbell Press', 3, range(8, 12))),
    block(
      straight('Lateral Raise', 3, range(12, 15, 9, 45)),
      straight('Rope Triceps Pushdown', 3, range(12, 15, 9, 45)),
    ),
  ]),
  routine('Pull Day', 'Strength', 'Intermediate', 'Back and biceps, with pull-ups while fresh.', [
    block(straight('Pull-Up', 4, range(5, 10))),
    block(straight('Bent Over Barbell Row', 4, range(6, 10))),
    block(straight('Lat Pulldown', 3, range(10, 12))),
    block(straight('Face Pull', 3, range(12, 15, 8, 45)), straight('Hammer Curl', 3, range(10, 12, 8, 45))),
  ]),
  routine('Leg Day', 'Strength', 'Intermediate', 'Squat, hinge, lunge and calves.', [
    block(straight('Barbell Back Squat', 4, range(5, 8, 8, 150), [warmup(8, 20), warmup(5, 50)])),
    block(straight('Romanian Deadlift', 3, range(8, 10, 8, 120))),
    block(straight('Dumbbell Lunge', 3, range(10, 12))),
    block(
      straight('Lying Leg Curl', 3, range(10, 15, 9, 60)),
      straight('Standing Calf Raise', 3, range(12, 15, 9, 60)),
    ),
  ]),
  routine(
    'Five by Five',
    'Strength',
    'Advanced',
    'Heavy fives of squat, bench and row; add 2.5 kg when all are done.',
    [
      block(straight('Barbell Back Squat', 5, reps(5, 100, 180), [warmup(5, 40), warmup(5, 70)])),
      block(straight('Barbell Bench Press', 5, reps(5, 80, 180), [warmup(5, 40)])),
      block(straight('Bent Over Barbell Row', 5, reps(5, 70, 150))),
    ],
  ),
  routine(
    'Olympic Technique',
    'Weightlifting',
    'Advanced',
    'Snatch and clean from the hang and from the floor.',
    [
      block(straight('Hang Snatch', 5, reps(2, 40, 120))),
      block(straight('Power Clean', 5, reps(3, 60, 120))),
      block(straight('Split Jerk', 4, reps(2, 60, 120))),
      block(straight('Front Squat', 3, reps(3, 80, 150))),
    ],
  ),
  routine('Bodyweight Anywhere', 'Bodyweight', 'Beginner', 'No equipment, four rounds, twenty minutes.', [
    named(
      'Circuit',
      straight('Push-Up', 4, range(8, 15, 8, 20)),
      straight('Bodyweight Squat', 4, reps(15, undefined, 20)),
      straight('Glute Bridge', 4, reps(15, undefined, 20)),
      straight('Plank', 4, hold(40, 60)),
    ),
  ]),
  routine(
    'Intervals on the Rower',
    'Cardio',
    'Intermediate',
    'Eight times 250 metres hard with a minute between.',
    [
      named('Warm-up', straight('Rowing Machine', 1, hold(300))),
      named('Intervals', straight('Rowing Machine', 8, metres(250, 60))),
      named('Cool-down', straight('Rowing Machine', 1, hold(300, 0))),
    ],
  ),
  routine('Easy Run', 'Cardio', 'Beginner', 'Five kilometres at a pace at which you could talk.', [
    block(straight('Treadmill Jog', 1, metres(5_000, 0))),
  ]),
  routine(
    'Kettlebell Conditioning',
    'HIIT',
    'Intermediate',
    'Swings, cleans and carries against the clock.',
    [
      named(
        'Triplet',
        straight('Kettlebell Swing', 5, reps(20, 16, 30)),
        straight('Kettlebell Clean', 5, reps(8, 16, 30)),
        straight("Farmer's Walk", 5, metres(40, 60)),
      ),
      named('Finisher', straight('Battle Ropes', 6, hold(20, 40))),
    ],
  ),
  routine(
    'Mobility Reset',
    'Mobility',
    'Beginner',
    'Fifteen minutes for stiff hips, hamstrings and shoulders.',
    [
      block(straight('Cat-Cow Stretch', 1, hold(60, 10))),
      block(straight("World's Greatest Stretch", 2, hold(60, 10))),
      block(straight('Hip Flexor Stretch', 2, hold(45, 10))),
      block(straight('Hamstring Stretch', 2, hold(45, 10))),
      block(straight("Child's Pose", 1, hold(90, 0))),
    ],
  ),
  routine(
    'Core Builder',
    'Core',
    'Intermediate',
    'Against bending, against turning, and through the full range.',
    [
      block(straight('Hanging Leg Raise', 3, range(8, 12))),
      block(straight('Pallof Press', 3, range(10, 12, 7, 45)), straight('Side Plank', 3, hold(30, 45))),
      block(straight('Ab Wheel Rollout', 3, range(6, 10))),
    ],
  ),
  routine(
    'Iron Temple Deadlift Club',
    'Strength',
    'Advanced',
    'The house programme of Iron Temple: pull heavy on Fridays.',
    [
      block(straight('Barbell Deadlift', 5, reps(3, 140, 180), [warmup(5, 60), warmup(3, 100)])),
      block(straight('Deficit Deadlift', 3, reps(5, 110, 150))),
      block(straight('Barbell Shrug', 3, range(10, 12)), straight('Back Extension', 3, range(10, 15, 8, 60))),
    ],
    DEMO_GYMS.ironTemple.id,
  ),
  routine(
    'Aqua Club Dry-land Swim',
    'Cardio',
    'Intermediate',
    "For Aqua Club's swimmers: what the water needs, done on land.",
    [
      block(
        straight('Straight-Arm Pulldown', 3, range(12, 15, 7, 45)),
        straight('Flutter Kick', 3, hold(45, 45)),
      ),
      block(straight('Rowing Machine', 4, metres(500, 90))),
      block(straight('Superman', 3, hold(30, 30))),
    ],
    DEMO_GYMS.aquaClub.id,
  ),
];

function firstVersion({ deletedAt: _gone, createdAt, updatedAt, ...fields }: (typeof ROUTINES)[number]) {
  return {
    routineId: fields.id,
    version: 1,
    content: { ...fields, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    createdAt,
  };
}

let productIndex = 0;
function product(
  sku: string,
  name: string,
  kind: ProductKind,
  price: number,
  description: string,
  more: {
    stock?: number;
    variants?: Variant[];
    featuredPriority?: number;
    featuredUntil?: Date;
    gymId?: string;
  } = {},
) {
  productIndex += 1;
  return {
    id: demoId('402', productIndex),
    gymId: more.gymId ?? null,
    sku,
    name,
    description,
    kind,
    price,
    currency: more.gymId === DEMO_GYMS.aquaClub.id ? 'USD' : 'EUR',
    images: [],
    variants: more.variants ?? [],
    stock: more.stock ?? null,
    featuredPriority: more.featuredPriority ?? null,
    featuredFrom: null,
    featuredUntil: more.featuredUntil ?? null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
}

const variant = (sku: string, name: string, stock: number, price: number | null = null): Variant => ({
  sku,
  name,
  price,
  stock,
});

const PRODUCTS = [
  product(
    'WHEY-1KG',
    'Whey Protein 1 kg',
    'SUPPLEMENT',
    2_999,
    'Whey protein concentrate, 78 g of protein in 100 g.',
    {
      featuredPriority: 100,
      variants: [
        variant('WHEY-1KG-CHO', 'Chocolate', 40),
        variant('WHEY-1KG-VAN', 'Vanilla', 25),
        variant('WHEY-1KG-NEU', 'Neutral', 0),
      ],
    },
  ),
  product(
    'CREA-500',
    'Creatine Monohydrate 500 g',
    'SUPPLEMENT',
    1_999,
    'Micronised creatine monohydrate, unflavoured.',
    { featuredPriority: 80, stock: 60 },
  ),
  product('EAA-400', 'Essential Amino Acids 400 g', 'SUPPLEMENT', 2_499, 'All nine essential amino acids.', {
    stock: 18,
  }),
  product('VITD-120', 'Vitamin D3 120 capsules', 'SUPPLEMENT', 1_290, 'For the darker half of the year.', {
    stock: 80,
  }),
  product('BAR-12', 'Protein Bars, box of 12', 'SUPPLEMENT', 2_388, '20 g of protein a bar.', { stock: 30 }),
  product('SHAKER-07', 'Shaker 700 ml', 'MERCHANDISE', 890, 'With a sieve that can be cleaned.', {
    stock: 120,
  }),
  product('BELT-L', 'Lifting Belt', 'MERCHANDISE', 4_990, 'Leather, 10 mm, lever buckle.', {
    featuredPriority: 60,
    variants: [variant('BELT-L-S', 'S', 4), variant('BELT-L-M', 'M', 7), variant('BELT-L-L', 'L', 3)],
  }),
  product('STRAPS', 'Lifting Straps', 'MERCHANDISE', 1_490, 'Cotton, padded.', { stock: 35 }),
  product('TOWEL', 'Gym Towel', 'MERCHANDISE', 1_190, 'Quick-drying, with a pocket.', { stock: 0 }),
  product('IRON-TEE', 'Iron Temple T-Shirt', 'MERCHANDISE', 2_490, 'Heavy cotton, made for Iron Temple.', {
    gymId: DEMO_GYMS.ironTemple.id,
    featuredPriority: 90,
    variants: [
      variant('IRON-TEE-S', 'S', 10),
      variant('IRON-TEE-M', 'M', 12),
      variant('IRON-TEE-L', 'L', 8),
      variant('IRON-TEE-XL', 'XL', 5),
    ],
  }),
  product('AQUA-CAP', 'Aqua Club Swimming Cap', 'MERCHANDISE', 1_500, 'Silicone.', {
    gymId: DEMO_GYMS.aquaClub.id,
    featuredPriority: 90,
    stock: 50,
  }),
];
