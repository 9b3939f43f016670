import { defineEntity, p } from '@mikro-orm/core';
import {
  contentProperties,
  imageIndex,
  ownedChecks,
  ownedIndexes,
  ownedProperties,
  searchColumn,
  wordsOf,
  wordsOfList,
} from '../content.entity.ts';
import { areasOf } from '../search/body-areas.ts';
import type { Difficulty } from '../exercises/exercise.entity.ts';

/** The users who see a routine: its owner, the users of its gym, or everybody. */
export const VISIBILITIES = ['PRIVATE', 'GYM', 'PUBLIC'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const SET_TYPES = ['NORMAL', 'WARMUP', 'DROP', 'FAILURE'] as const;

/** One set. The exercise's modality decides which of the measures it may have. */
export interface WorkoutSet {
  type: (typeof SET_TYPES)[number];
  reps?: number | undefined;
  repRange?: { min: number; max: number } | undefined;
  durationSeconds?: number | undefined;
  distanceMeters?: number | undefined;
  weightKg?: number | undefined;
  assistedKg?: number | undefined;
  rpe?: number | undefined;
  tempo?: string | undefined;
  restSeconds?: number | undefined;
}

/** Exercises that are done in turn. A block of two or more entries is a superset. */
export interface Block {
  name?: string | undefined;
  restSeconds?: number | undefined;
  entries: { exerciseId: string; notes?: string | undefined; sets: WorkoutSet[] }[];
}

const WorkoutRoutineSchema = defineEntity({
  name: 'WorkoutRoutine',
  tableName: 'workout_routine',
  checks: ownedChecks('workout_routine'),
  indexes: [
    ...ownedIndexes(
      'workout_routine',
      {
        title: 'lower("title")',
        category: 'lower("category"), lower("title")',
        newest: '"created_at"',
        duration: '"duration_minutes"',
        difficulty: 'lower("difficulty"), lower("title")',
      },
      {
        search: '"search"',
        muscles: '"target_muscles" jsonb_path_ops',
        equipment: '"equipment" jsonb_path_ops',
        exercises: '"exercises" jsonb_path_ops',
      },
    ),
    imageIndex('workout_routine'),
  ],
  properties: {
    ...contentProperties(),
    ...ownedProperties(),
    title: p.string().length(120),
    description: p.text().nullable(),
    difficulty: p.string().$type<Difficulty>().length(20),
    category: p.string().length(40),
    targetMuscles: p.json<string[]>(),
    /** The equipment that the exercises of the routine needed when it was last written. */
    equipment: p.json<string[]>(),
    exercises: p.json<Block[]>(),
    durationMinutes: p.integer(),
    image: p.string().length(120).nullable(),
    search: searchColumn([
      wordsOf('english', '"title"', 'A'),
      wordsOf('simple', '"title"', 'A'),
      wordsOf('simple', '"category"', 'B'),
      wordsOfList('english', '"target_muscles"', 'C'),
      wordsOf('simple', '"difficulty"', 'C'),
      wordsOfList('simple', '"equipment"', 'C'),
      wordsOf('english', `coalesce("description", '')`, 'D'),
      areasOf('target_muscles'),
    ]),
  },
});

export class WorkoutRoutine extends WorkoutRoutineSchema.class {}
WorkoutRoutineSchema.setClass(WorkoutRoutine);

/** A routine as it was at one version. It is written together with that version, and never changed. */
const WorkoutRoutineVersionSchema = defineEntity({
  name: 'WorkoutRoutineVersion',
  tableName: 'workout_routine_version',
  indexes: [imageIndex('workout_routine_version', `("content"->>'image')`)],
  properties: {
    routineId: () =>
      p.manyToOne(WorkoutRoutine).mapToPk().primary().fieldName('routine_id').deleteRule('cascade'),
    version: p.integer().primary(),
    content: p.json<Record<string, unknown>>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class WorkoutRoutineVersion extends WorkoutRoutineVersionSchema.class {}
WorkoutRoutineVersionSchema.setClass(WorkoutRoutineVersion);
