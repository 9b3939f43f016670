import { createHash } from 'node:crypto';
import type { Difficulty, Modality } from './exercises.shapes.ts';

/** One row of `exercise-library.ts`. */
export interface LibraryExercise {
  name: string;
  aliases: readonly string[];
  modality: Modality;
  primaryMuscles: readonly string[];
  secondaryMuscles: readonly string[];
  equipment: string;
  level: Difficulty;
  force: string | null;
  mechanic: string | null;
  category: string;
}

/** The same id on every installation, so that routines can be carried from one to another: a UUID of version 7 with a fixed time, the rest from the name. */
export function libraryExerciseId(name: string): string {
  const hash = createHash('sha256').update(`exercise ${name.toLowerCase()}`).digest('hex');
  return `01900000-0e00-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
