import { z } from 'zod';
import { changeOf, orDefault } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { flag, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { listFilters, type FiltersOf } from '../listing.shapes.ts';
import { DIFFICULTIES, MODALITIES } from './exercise.entity.ts';

export { DIFFICULTIES, type Difficulty, type Modality } from './exercise.entity.ts';

/** The path of a picture in an answer. */
export const imagePath = z.string().nullable();

export const ExerciseShape = z
  .object({
    id: uuid(),
    name: z.string(),
    aliases: z.array(z.string()),
    description: z.string().nullable(),
    instructions: z.array(z.string()),
    primaryMuscles: z.array(z.string()),
    secondaryMuscles: z.array(z.string()),
    equipment: z.string(),
    level: z.enum(DIFFICULTIES),
    force: z.string().nullable(),
    mechanic: z.string().nullable(),
    category: z.string(),
    modality: z.enum(MODALITIES),
    image: imagePath,
    gymId: uuid().nullable(),
    custom: z.boolean(),
    version: z.int(),
  })
  .meta({ id: 'Exercise' });
export type ExerciseShape = z.infer<typeof ExerciseShape>;

/** A word of a list, such as a muscle or a piece of equipment; it is stored in lower case. */
const word = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .transform((text) => text.toLowerCase());
export const words = z
  .array(word)
  .max(20)
  .transform((list) => [...new Set(list)]);

/** The fields that are written, also in the data files of the library. */
export const exerciseFields = {
  name: z.string().trim().min(1).max(120),
  aliases: z.array(z.string().trim().min(1).max(120)).max(20),
  description: z.string().trim().max(5_000).nullable(),
  instructions: z
    .array(visibleText(500))
    .max(20)
    .meta({ description: 'How to do it, step by step; at most 20 steps of 500 characters.' }),
  primaryMuscles: words.refine((list) => list.length > 0, 'expected at least one muscle'),
  secondaryMuscles: words,
  equipment: word,
  level: z.enum(DIFFICULTIES, `expected ${DIFFICULTIES.join(', ')}`),
  force: z.enum(['push', 'pull', 'static'], 'expected push, pull or static').nullable(),
  mechanic: z.enum(['compound', 'isolation'], 'expected compound or isolation').nullable(),
  category: word,
  modality: z.enum(MODALITIES, `expected one of ${MODALITIES.join(', ')}`),
};

export const CreateExerciseShape = z
  .object({
    gymId: uuid().nullish(),
    custom: z.boolean().nullish(),
    name: exerciseFields.name,
    aliases: orDefault(exerciseFields.aliases, []),
    description: exerciseFields.description.optional(),
    instructions: orDefault(exerciseFields.instructions, []),
    primaryMuscles: exerciseFields.primaryMuscles,
    secondaryMuscles: orDefault(exerciseFields.secondaryMuscles, []),
    equipment: orDefault(exerciseFields.equipment, 'none'),
    level: orDefault(exerciseFields.level, 'Beginner'),
    force: exerciseFields.force.optional(),
    mechanic: exerciseFields.mechanic.optional(),
    category: orDefault(exerciseFields.category, 'strength'),
    modality: exerciseFields.modality,
  })
  .meta({ graphType: 'CreateExerciseInput' });

export const UpdateExerciseShape = z
  .object({
    ...changeOf(exerciseFields),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateExerciseInput' });

export const ExerciseQuery = pageQuery.extend({
  ...listFilters,
  muscle: z.string().max(40).optional().meta({ description: 'A primary or secondary muscle, e.g. chest.' }),
  equipment: z.string().max(40).optional().meta({ description: 'What the exercise needs, e.g. barbell.' }),
  difficulty: z.string().max(20).optional().meta({ description: 'Beginner, Intermediate or Advanced.' }),
  category: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'The category of the exercise, e.g. strength.' }),
  modality: z
    .string()
    .max(30)
    .optional()
    .meta({ description: 'What a set of the exercise measures, e.g. WEIGHT_REPS.' }),
  mine: flag.optional().meta({ description: 'Only exercises that you have added for yourself.' }),
  sort: z
    .enum(['name', 'newest'], 'expected name or newest')
    .optional()
    .meta({ description: 'Default: the best match first if there is a search, else by name.' }),
});
export type ExerciseFilter = FiltersOf<typeof ExerciseQuery>;

/** A muscle, a piece of equipment or a category, with the number of its exercises that the caller may see. */
export const FacetShape = z.object({ name: z.string(), exercises: z.int() }).meta({ id: 'Facet' });
export type FacetShape = z.infer<typeof FacetShape>;
