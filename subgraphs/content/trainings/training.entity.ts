import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Exercise } from '../exercises/exercise.entity.ts';
import type { SET_TYPES } from '../workouts/workout-routine.entity.ts';
import { WorkoutRoutine } from '../workouts/workout-routine.entity.ts';

/** A set that a user has done. */
export interface TrainingSet {
  /** Unique in its training. The client may choose it, so that a repeated request writes the same set. */
  id: string;
  type: (typeof SET_TYPES)[number];
  reps: number | null;
  weightKg: number | null;
  assistedKg: number | null;
  durationSeconds: number | null;
  distanceMeters: number | null;
  rpe: number | null;
  restSeconds: number | null;
  /** ISO 8601; null if the user has logged the set without its time. */
  completedAt: string | null;
}

/** An exercise of a training with its sets. */
export interface TrainingEntry {
  exerciseId: string;
  sets: TrainingSet[];
}

const TrainingSchema = defineEntity({
  name: 'Training',
  tableName: 'training',
  // In the order of the list, so that a page, or a range of days, is one range of the index.
  indexes: [
    { name: 'training_diary', properties: ['userId', 'localDate', 'startedAt', 'id'] },
    { properties: ['routineId'] },
    // When a user last trained a routine.
    { name: 'training_of_routine', properties: ['userId', 'routineId', 'startedAt'] },
    {
      name: 'training_running',
      expression: `create index "training_running" on "training" ("started_at") where "ended_at" is null`,
    },
  ],
  uniques: [
    {
      name: 'training_squad',
      expression: `create unique index "training_squad" on "training" ("user_id", "squad_id") where "squad_id" is not null`,
    },
    {
      name: 'training_import_key',
      expression: `create unique index "training_import_key" on "training" ("user_id", "import_key") where "import_key" is not null`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    title: p.string().length(120).nullable(),
    routineId: () =>
      p.manyToOne(WorkoutRoutine).mapToPk().nullable().joinColumn('routine_id').deleteRule('set null'),
    /** The version of the routine that the user trained. */
    routineVersion: p.integer().nullable(),
    /** The squad in which the user trained; it is stored by the squad service. */
    squadId: p.uuid().nullable(),
    startedAt: p.datetime(),
    /** Null while the training is running. */
    endedAt: p.datetime().nullable(),
    /** The day of `startedAt` in the user's time zone when they logged the training; it does not change when they travel. */
    localDate: p.date(),
    minutes: p.integer().nullable(),
    note: p.text().nullable(),
    entries: p.json<TrainingEntry[]>(),
    volumeKg: p.float().columnType('double precision'),
    /** The end of the rest after the last set, by the clock of the server. */
    restEndsAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    version: p.integer().default(1),
    /** Identifies an imported training, so that a repeated import does not write it again. */
    importKey: p.string().length(64).nullable(),
  },
});

export class Training extends TrainingSchema.class {}
TrainingSchema.setClass(Training);

/** The set that is the best one of a training in one respect. */
export interface BestSet {
  value: number;
  reps: number | null;
  weightKg: number | null;
  /** ISO 8601: when the set was completed, or else when the training began. */
  at: string;
}

export const SET_RECORDS = ['heaviest', 'mostReps', 'e1rm', 'longest', 'farthest'] as const;
export type SetRecord = (typeof SET_RECORDS)[number];

/**
 * The figures of one exercise in one training, from which records, series and summaries are read. They are computed again
 * from all sets of the training whenever the training changes, so that errors cannot add up. `storeFigures` writes them.
 */
const TrainingExerciseSchema = defineEntity({
  name: 'TrainingExercise',
  tableName: 'training_exercise',
  indexes: [
    { name: 'training_exercise_of_user', properties: ['userId', 'exerciseId', 'startedAt'] },
    { name: 'training_exercise_by_day', properties: ['userId', 'localDate'] },
    { properties: ['exerciseId'] },
  ],
  properties: {
    trainingId: () =>
      p.manyToOne(Training).mapToPk().primary().fieldName('training_id').deleteRule('cascade'),
    exerciseId: () =>
      p.manyToOne(Exercise).mapToPk().primary().fieldName('exercise_id').deleteRule('restrict'),
    userId: p.uuid(),
    startedAt: p.datetime(),
    localDate: p.date(),
    isRunning: p.boolean(),
    volumeKg: p.float().columnType('double precision'),
    heaviest: p.float().columnType('double precision').nullable(),
    mostReps: p.float().columnType('double precision').nullable(),
    e1rm: p.float().columnType('double precision').nullable(),
    longest: p.float().columnType('double precision').nullable(),
    farthest: p.float().columnType('double precision').nullable(),
    /** The sets with these values. */
    bests: p.json<Partial<Record<SetRecord, BestSet>>>(),
  },
});

export class TrainingExercise extends TrainingExerciseSchema.class {}
TrainingExerciseSchema.setClass(TrainingExercise);
