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

export const DIFFICULTIES = ['Beginner', 'Intermediate', 'Advanced'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

/** What a set of the exercise measures; it decides which fields a set may have. */
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
  // A private exercise without an owner is one whose owner has deleted their account; see `account-part.ts`.
  checks: ownedChecks('exercise', '("owner_id" is not null or "deleted_at" is not null)'),
  indexes: [
    ...ownedIndexes(
      'exercise',
      {
        name: 'lower("name")',
        newest: '"created_at"',
        equipment: '"equipment", lower("name")',
        category: '"category", lower("name")',
        modality: '"modality", lower("name")',
        level: 'lower("level"), lower("name")',
      },
      {
        search: '"search"',
        muscles: '"primary_muscles" jsonb_path_ops, "secondary_muscles" jsonb_path_ops',
      },
    ),
    imageIndex('exercise'),
  ],
  properties: {
    ...contentProperties(),
    ...ownedProperties(),
    name: p.string().length(120),
    aliases: p.json<string[]>(),
    description: p.text().nullable(),
    /** How to do it, one or two sentences for each step. */
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
    search: searchColumn([
      wordsOf('english', '"name"', 'A'),
      wordsOf('simple', '"name"', 'A'),
      wordsOfList('english', '"aliases"', 'B'),
      wordsOfList('simple', '"aliases"', 'B'),
      wordsOf('simple', '"category"', 'B'),
      wordsOfList('english', '"primary_muscles" || "secondary_muscles"', 'C'),
      wordsOf('simple', '"equipment"', 'C'),
      wordsOf('simple', '"level"'),
      areasOf('primary_muscles'),
    ]),
  },
});

export class Exercise extends ExerciseSchema.class {}
ExerciseSchema.setClass(Exercise);
