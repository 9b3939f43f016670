import { z } from 'zod';
import { searchText, versionNumber, visibleText } from '#server/shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { DIFFICULTIES, MODALITIES } from './exercise.entity.ts';

export { DIFFICULTIES, MODALITIES, type Difficulty, type Modality } from './exercise.entity.ts';

export const ExerciseShape = z
  .object({
    id: z.uuid(),
    name: z.string(),
    aliases: z.array(z.string()),
    description: z.string().nullable(),
    instructions: z.array(z.string()).meta({ description: 'How to do it, step by step.' }),
    primaryMuscles: z.array(z.string()),
    secondaryMuscles: z.array(z.string()),
    equipment: z.string(),
    level: z.enum(DIFFICULTIES),
    force: z.string().nullable().meta({ description: 'push, pull or static.' }),
    mechanic: z.string().nullable().meta({ description: 'compound or isolation.' }),
    category: z.string(),
    modality: z.enum(MODALITIES),
    image: z.string().nullable().meta({
      description:
        'Path of the picture at the server that you ask, `/media/...` or, through the gateway, `/content/media/...`; `?size=` chooses a size.',
    }),
    gymId: z.uuid().nullable().meta({ description: 'Null: of the common library.' }),
    version: z.int(),
  })
  .meta({ id: 'Exercise' });
export type ExerciseShape = z.infer<typeof ExerciseShape>;

/** A word of a list such as a muscle or a piece of equipment: kept in small letters. */
export const word = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .transform((text) => text.toLowerCase());
const words = z
  .array(word)
  .max(20)
  .transform((list) => [...new Set(list)]);

/** The fields that are written, for the library's data files too. */
export const exerciseFields = {
  name: z.string().trim().min(1).max(120),
  aliases: z.array(z.string().trim().min(1).max(120)).max(20),
  description: z.string().trim().max(5_000).nullable(),
  instructions: z
    .array(visibleText(500))
    .max(20)
    .meta({ description: 'How to do it, step by step; at most 20 steps of 500 characters.' }),
  primaryMuscles: words,
  secondaryMuscles: words,
  equipment: word,
  level: z.enum(DIFFICULTIES, `expected ${DIFFICULTIES.join(', ')}`),
  force: z.enum(['push', 'pull', 'static'], 'expected push, pull or static').nullable(),
  mechanic: z.enum(['compound', 'isolation'], 'expected compound or isolation').nullable(),
  category: word,
  modality: z.enum(MODALITIES, `expected one of ${MODALITIES.join(', ')}`),
};

export const CreateExerciseShape = z.object({
  gymId: z.uuid().nullish(),
  name: exerciseFields.name,
  aliases: exerciseFields.aliases.nullish(),
  description: exerciseFields.description.optional(),
  instructions: exerciseFields.instructions.nullish(),
  primaryMuscles: exerciseFields.primaryMuscles.refine(
    (list) => list.length > 0,
    'expected at least one muscle',
  ),
  secondaryMuscles: exerciseFields.secondaryMuscles.nullish(),
  equipment: exerciseFields.equipment.nullish(),
  level: exerciseFields.level.nullish(),
  force: exerciseFields.force.optional(),
  mechanic: exerciseFields.mechanic.optional(),
  category: exerciseFields.category.nullish(),
  modality: exerciseFields.modality,
});

/** What is absent, or null, stays. */
export const UpdateExerciseShape = z.object({
  name: exerciseFields.name.nullish(),
  aliases: exerciseFields.aliases.nullish(),
  description: exerciseFields.description.optional(),
  instructions: exerciseFields.instructions.nullish(),
  primaryMuscles: exerciseFields.primaryMuscles
    .refine((list) => list.length > 0, 'expected at least one muscle')
    .nullish(),
  secondaryMuscles: exerciseFields.secondaryMuscles.nullish(),
  equipment: exerciseFields.equipment.nullish(),
  level: exerciseFields.level.nullish(),
  force: exerciseFields.force.optional(),
  mechanic: exerciseFields.mechanic.optional(),
  category: exerciseFields.category.nullish(),
  modality: exerciseFields.modality.nullish(),
  version: versionNumber.nullish(),
});

export const search = searchText.optional().meta({
  description:
    'Words of names, categories, muscles, levels and so on, best match first. Beginnings of words count, joined and split words and small slips are forgiven. Text without a letter or digit, such as `%`, finds nothing.',
});

export const ExerciseQuery = pageQuery.extend({
  search,
  muscle: z.string().max(40).optional().meta({ description: 'A primary or secondary muscle, e.g. chest.' }),
  equipment: z.string().max(40).optional(),
  difficulty: z.string().max(20).optional().meta({ description: 'Beginner, Intermediate or Advanced.' }),
  category: z.string().max(40).optional(),
  modality: z.string().max(30).optional(),
  gymId: z
    .uuid()
    .optional()
    .meta({ description: 'Only those that this gym made, as far as you may see them.' }),
  sort: z
    .enum(['name', 'newest'], 'expected name or newest')
    .optional()
    .meta({ description: 'Default: best match where there is a search, else by name.' }),
});
export type ExerciseFilter = {
  [Field in keyof Omit<z.infer<typeof ExerciseQuery>, 'limit' | 'cursor'>]?:
    | z.infer<typeof ExerciseQuery>[Field]
    | null;
};

/** One word of a fixed list, and how many exercises you can see have it. */
export const FacetShape = z.object({ name: z.string(), exercises: z.int() }).meta({ id: 'Facet' });
export type FacetShape = z.infer<typeof FacetShape>;
