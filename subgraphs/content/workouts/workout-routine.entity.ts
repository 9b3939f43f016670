import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { areasOf } from '../search/body-areas.ts';
import type { Difficulty } from '../exercises/exercise.entity.ts';

export const SET_TYPES = ['NORMAL', 'WARMUP', 'DROP', 'FAILURE'] as const;

/** One set; the exercise's modality decides which of the measures it may have. */
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

/** Exercises that are done in turn; two entries or more make a superset. */
export interface Block {
  name?: string | undefined;
  restSeconds?: number | undefined;
  entries: { exerciseId: string; notes?: string | undefined; sets: WorkoutSet[] }[];
}

const WorkoutRoutineSchema = defineEntity({
  name: 'WorkoutRoutine',
  tableName: 'workout_routine',
  indexes: [
    {
      name: 'workout_routine_title',
      expression:
        'create index "workout_routine_title" on "workout_routine" (lower("title"), "id") where "deleted_at" is null',
    },
    {
      name: 'workout_routine_category',
      expression:
        'create index "workout_routine_category" on "workout_routine" (lower("category"), lower("title"), "id") where "deleted_at" is null',
    },
    {
      name: 'workout_routine_newest',
      expression:
        'create index "workout_routine_newest" on "workout_routine" ("created_at", "id") where "deleted_at" is null',
    },
    {
      name: 'workout_routine_search',
      expression: 'create index "workout_routine_search" on "workout_routine" using gin ("search")',
    },
    {
      name: 'workout_routine_muscles',
      expression:
        'create index "workout_routine_muscles" on "workout_routine" using gin ("target_muscles" jsonb_path_ops)',
    },
    {
      name: 'workout_routine_duration',
      expression:
        'create index "workout_routine_duration" on "workout_routine" ("duration_minutes", "id") where "deleted_at" is null',
    },
    {
      name: 'workout_routine_difficulty',
      expression:
        'create index "workout_routine_difficulty" on "workout_routine" (lower("difficulty"), lower("title"), "id") where "deleted_at" is null',
    },
    {
      name: 'workout_routine_equipment',
      expression:
        'create index "workout_routine_equipment" on "workout_routine" using gin ("equipment" jsonb_path_ops)',
    },
    {
      name: 'workout_routine_exercises',
      expression:
        'create index "workout_routine_exercises" on "workout_routine" using gin ("exercises" jsonb_path_ops)',
    },
    { properties: ['gymId'] },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    /** Null: everybody's. */
    gymId: p.uuid().nullable(),
    title: p.string().length(120),
    description: p.text().nullable(),
    difficulty: p.string().$type<Difficulty>().length(20),
    category: p.string().length(40),
    targetMuscles: p.json<string[]>(),
    /** Of its exercises, as they were when it was written. */
    equipment: p.json<string[]>(),
    exercises: p.json<Block[]>(),
    durationMinutes: p.integer(),
    image: p.string().length(120).nullable(),
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    /** Gone from lists; its versions stay readable for sessions of the past. */
    deletedAt: p.datetime().nullable(),
    search: p
      .text()
      .columnType('tsvector')
      .generated(
        `(setweight(to_tsvector('english'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "target_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "difficulty"), 'C') || setweight(jsonb_to_tsvector('simple'::regconfig, "equipment", '["string"]'), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D') || ${areasOf('target_muscles')}) stored`,
      )
      .nullable()
      .lazy(),
  },
});

export class WorkoutRoutine extends WorkoutRoutineSchema.class {}
WorkoutRoutineSchema.setClass(WorkoutRoutine);

/** A routine as it was at one version: written with it, never changed. */
const WorkoutRoutineVersionSchema = defineEntity({
  name: 'WorkoutRoutineVersion',
  tableName: 'workout_routine_version',
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
