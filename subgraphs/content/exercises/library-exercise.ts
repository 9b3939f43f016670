import { createHash } from 'node:crypto';
import { z } from 'zod';
import { exerciseFields } from './exercises.shapes.ts';

/** The muscles that the common library names; a gym's own exercises may name others. */
export const MUSCLES = [
  'abdominals',
  'abductors',
  'adductors',
  'biceps',
  'calves',
  'chest',
  'forearms',
  'glutes',
  'hamstrings',
  'hip flexors',
  'lats',
  'lower back',
  'middle back',
  'neck',
  'quadriceps',
  'shoulders',
  'traps',
  'triceps',
] as const;

/** `bodyweight`: the body is the load. `none`: the exercise needs nothing and has no load. */
export const EQUIPMENT = [
  'ab wheel',
  'atlas stone',
  'band',
  'barbell',
  'battle ropes',
  'bike',
  'bodyweight',
  'box',
  'cable',
  'climbing rope',
  'dumbbell',
  'ez bar',
  'foam roller',
  'heavy bag',
  'jump rope',
  'kettlebell',
  'log',
  'machine',
  'medicine ball',
  'none',
  'other',
  'plate',
  'rings',
  'sandbag',
  'skates',
  'sled',
  'sledgehammer',
  'smith machine',
  'stability ball',
  'suspension trainer',
  'tire',
  'trap bar',
  'yoke',
] as const;

export const CATEGORIES = [
  'cardio',
  'mobility',
  'plyometrics',
  'powerlifting',
  'strength',
  'stretching',
  'strongman',
  'weightlifting',
  'yoga',
] as const;

/** One exercise of the common library in its data file. `data/README.md` has the rules of the fields. */
export const LibraryExerciseShape = z.strictObject({
  name: exerciseFields.name,
  aliases: exerciseFields.aliases,
  modality: exerciseFields.modality,
  primaryMuscles: z.array(z.enum(MUSCLES)).min(1).max(3),
  secondaryMuscles: z.array(z.enum(MUSCLES)).max(8),
  equipment: z.enum(EQUIPMENT),
  level: exerciseFields.level,
  force: exerciseFields.force,
  mechanic: exerciseFields.mechanic,
  category: z.enum(CATEGORIES),
  instructions: exerciseFields.instructions,
});
export type LibraryExercise = z.infer<typeof LibraryExerciseShape>;

/** The id is the same on every installation, so that routines can be copied between them: a UUID of version 7 with a fixed time and a hash of the name. */
export function libraryExerciseId(name: string): string {
  const hash = createHash('sha256').update(`exercise ${name.toLowerCase()}`).digest('hex');
  return `01900000-0e00-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
