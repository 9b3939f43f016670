import { z } from 'zod';
import { changeOf } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { flag, uuid, versionNumber } from '#server/shapes.ts';
import { DIFFICULTIES, imagePath, words } from '../exercises/exercises.shapes.ts';
import { listFilters, type FiltersOf } from '../listing.shapes.ts';
import { SET_TYPES, VISIBILITIES } from './workout-routine.entity.ts';

/** One set. The exercise's modality decides which of these fields it may have (see `set-fields.ts`). */
export const SetShape = z
  .strictObject({
    type: z
      .enum(SET_TYPES, `expected one of ${SET_TYPES.join(', ')}`)
      .default('NORMAL')
      .meta({
        description:
          'What the set is for: NORMAL; WARMUP: to prepare; DROP: at once after the previous set, with less weight; FAILURE: until no further repetition is possible.',
      }),
    reps: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .meta({ description: 'The number of repetitions. Not with repRange.' }),
    repRange: z
      .strictObject({
        min: z.int().min(1).max(1_000).meta({ description: 'The lowest number of repetitions.' }),
        max: z.int().min(1).max(1_000).meta({ description: 'The highest number of repetitions.' }),
      })
      .refine(({ min, max }) => min <= max, 'expected min not above max')
      .optional()
      .meta({ description: 'A range for the number of repetitions. Not with reps.' }),
    durationSeconds: z.int().min(1).max(86_400).optional().meta({ description: 'The duration in seconds.' }),
    distanceMeters: z
      .number()
      .positive()
      .max(1_000_000)
      .optional()
      .meta({ description: 'The distance in metres.' }),
    weightKg: z.number().min(0).max(1_000).optional().meta({ description: 'The weight in kilograms.' }),
    assistedKg: z.number().min(0).max(1_000).optional().meta({
      description:
        'By how much a band or a machine reduces the weight of the body; never together with weightKg.',
    }),
    rpe: z.number().min(1).max(10).optional().meta({ description: 'Rate of perceived exertion, 1 to 10.' }),
    tempo: z
      .string()
      .regex(/^[0-9X]{1,2}(-[0-9X]{1,2}){2,3}$/i, 'expected a tempo such as 3-1-1-0')
      .optional()
      .meta({ description: 'Seconds down, hold, up, hold: 3-1-1-0; X means as fast as possible.' }),
    restSeconds: z
      .int()
      .min(0)
      .max(3_600)
      .optional()
      .meta({ description: 'The rest after the set, in seconds.' }),
  })
  .meta({ id: 'WorkoutSet' });

const EntryShape = z.strictObject({
  exerciseId: uuid().meta({ description: "The exercise's id." }),
  notes: z
    .string()
    .trim()
    .max(1_000)
    .optional()
    .meta({ description: 'Words for the users, e.g. how to do it.' }),
  sets: z.array(SetShape).min(1).max(50).meta({ description: 'The sets in their order.' }),
});

/** A block of two or more entries is a superset. */
const BlockShape = z
  .strictObject({
    name: z.string().trim().min(1).max(80).optional().meta({ description: 'For example Warm-up.' }),
    restSeconds: z.int().min(0).max(3_600).optional().meta({ description: 'After each round of the block.' }),
    entries: z
      .array(EntryShape)
      .min(1)
      .max(10)
      .meta({ description: 'The exercises of the block, which are done in turn.' }),
  })
  .meta({ id: 'WorkoutBlock' });

export type { Block, WorkoutSet } from './workout-routine.entity.ts';

export const WorkoutRoutineShape = z
  .object({
    id: uuid(),
    title: z.string(),
    description: z.string().nullable(),
    difficulty: z.enum(DIFFICULTIES),
    category: z.string(),
    targetMuscles: z.array(z.string()),
    equipment: z.array(z.string()),
    exercises: z.array(BlockShape),
    image: imagePath,
    durationMinutes: z.int(),
    gymId: uuid().nullable(),
    visibility: z.enum(VISIBILITIES),
    ownerId: uuid().nullable(),
    version: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'WorkoutRoutine' });
export type WorkoutRoutineShape = z.infer<typeof WorkoutRoutineShape>;

/** What is stored of each version. The owner is read from the routine, so that their id is stored in one place. */
export const StoredVersionShape = WorkoutRoutineShape.omit({ ownerId: true });
export type StoredVersionShape = z.infer<typeof StoredVersionShape>;

export const WorkoutVersionShape = z
  .object({ version: z.int(), title: z.string(), createdAt: z.iso.datetime() })
  .meta({ id: 'WorkoutVersion' });
export type WorkoutVersionShape = z.infer<typeof WorkoutVersionShape>;

const fields = {
  title: z.string().trim().min(1).max(120),
  description: z.string().trim().max(5_000).nullable(),
  difficulty: z.enum(DIFFICULTIES, `expected ${DIFFICULTIES.join(', ')}`),
  category: z.string().trim().min(1).max(40),
  targetMuscles: words,
  exercises: z.array(BlockShape).max(50),
  durationMinutes: z.int().min(1).max(1_440),
};

const visibility = z.enum(VISIBILITIES, `expected one of ${VISIBILITIES.join(', ')}`);

export const CreateWorkoutShape = z
  .object({
    gymId: uuid().nullish(),
    visibility: visibility.nullish(),
    ...fields,
    description: fields.description.optional(),
    targetMuscles: fields.targetMuscles.nullish(),
    exercises: fields.exercises.default([]),
    durationMinutes: fields.durationMinutes.nullish(),
  })
  .meta({ graphType: 'CreateWorkoutInput' });

export type NewWorkout = Omit<z.infer<typeof CreateWorkoutShape>, 'gymId' | 'visibility'>;

export const UpdateWorkoutShape = z
  .object({ ...changeOf({ ...fields, visibility }), version: versionNumber.nullish() })
  .meta({ graphType: 'UpdateWorkoutInput' });

export const WorkoutQuery = pageQuery.extend({
  ...listFilters,
  muscle: z.string().max(40).optional().meta({ description: 'A target muscle, e.g. chest.' }),
  difficulty: z.string().max(20).optional().meta({ description: 'Beginner, Intermediate or Advanced.' }),
  equipment: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'A piece of equipment that one of its exercises needs, e.g. barbell.' }),
  category: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'The category of the routine, e.g. Strength. Upper and lower case do not matter.' }),
  exerciseId: uuid().optional().meta({ description: 'Routines with this exercise.' }),
  mine: flag.optional().meta({ description: 'Only routines that you have added.' }),
  favourite: flag.optional().meta({ description: 'Only your favourites.' }),
  maxMinutes: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Only routines that take at most this many minutes.' }),
  sort: z
    .enum(['title', 'newest', 'duration'], 'expected title, newest or duration')
    .optional()
    .meta({ description: 'Default: the best match first if there is a search, else by title.' }),
});
export const CopyWorkoutShape = z
  .object({ title: fields.title.nullish() })
  .meta({ graphType: 'CopyWorkoutInput' });

export type WorkoutFilter = FiltersOf<typeof WorkoutQuery>;
