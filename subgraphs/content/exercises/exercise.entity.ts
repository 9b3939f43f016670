import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { areasOf } from '../search/body-areas.ts';

export const DIFFICULTIES = ['Beginner', 'Intermediate', 'Advanced'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

/** What is counted of a set of the exercise; decides which fields a set may have. */
export const MODALITIES = [
  'WEIGHT_REPS',
  'BODYWEIGHT_REPS',
  'WEIGHTED_BODYWEIGHT',
  'DURATION',
  'WEIGHT_DURATION',
  'DISTANCE_DURATION',
  'WEIGHT_DISTANCE',
] as const;
export type Modality = (typeof MODALITIES)[number];

const ExerciseSchema = defineEntity({
  name: 'Exercise',
  tableName: 'exercise',
  indexes: [
    {
      name: 'exercise_name',
      expression:
        'create index "exercise_name" on "exercise" (lower("name"), "id") where "deleted_at" is null',
    },
    {
      name: 'exercise_search',
      expression: 'create index "exercise_search" on "exercise" using gin ("search")',
    },
    {
      name: 'exercise_muscles',
      expression:
        'create index "exercise_muscles" on "exercise" using gin ("primary_muscles" jsonb_path_ops, "secondary_muscles" jsonb_path_ops)',
    },
    {
      name: 'exercise_newest',
      expression:
        'create index "exercise_newest" on "exercise" ("created_at", "id") where "deleted_at" is null',
    },
    {
      name: 'exercise_equipment',
      expression:
        'create index "exercise_equipment" on "exercise" ("equipment", lower("name"), "id") where "deleted_at" is null',
    },
    {
      name: 'exercise_category',
      expression:
        'create index "exercise_category" on "exercise" ("category", lower("name"), "id") where "deleted_at" is null',
    },
    {
      name: 'exercise_modality',
      expression:
        'create index "exercise_modality" on "exercise" ("modality", lower("name"), "id") where "deleted_at" is null',
    },
    {
      name: 'exercise_level',
      expression:
        'create index "exercise_level" on "exercise" (lower("level"), lower("name"), "id") where "deleted_at" is null',
    },
    { properties: ['gymId'] },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    /** Null: of the platform's library, for everybody. */
    gymId: p.uuid().nullable(),
    name: p.string().length(120),
    aliases: p.json<string[]>(),
    description: p.text().nullable(),
    /** How to do it, a sentence or two a step. */
    instructions: p.json<string[]>().default([]),
    primaryMuscles: p.json<string[]>(),
    secondaryMuscles: p.json<string[]>(),
    equipment: p.string().length(40),
    level: p.string().$type<Difficulty>().length(20),
    force: p.string().length(20).nullable(),
    mechanic: p.string().length(20).nullable(),
    category: p.string().length(40),
    modality: p.string().$type<Modality>().length(30),
    image: p.string().length(120).nullable(),
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    /** Gone from lists; routines that use it still name it. */
    deletedAt: p.datetime().nullable(),
    search: p
      .text()
      .columnType('tsvector')
      .generated(
        `(setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(jsonb_to_tsvector('english'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('simple'::regconfig, "aliases", '["string"]'), 'B') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "primary_muscles" || "secondary_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "equipment"), 'C') || to_tsvector('simple'::regconfig, "level") || ${areasOf('primary_muscles')}) stored`,
      )
      .nullable()
      .lazy(),
  },
});

export class Exercise extends ExerciseSchema.class {}
ExerciseSchema.setClass(Exercise);
