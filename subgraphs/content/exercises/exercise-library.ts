import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { LibraryExerciseShape, type LibraryExercise } from './library-exercise.ts';

const FOLDER = new URL('data/', import.meta.url);

/** The platform's own library of well-known exercises, by name. */
export const EXERCISE_LIBRARY: readonly LibraryExercise[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .flatMap(exercisesOf)
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** @throws an Error that names the file and the wrong field, so that no service starts with a broken library */
function exercisesOf(file: string): LibraryExercise[] {
  const read = z
    .array(LibraryExerciseShape)
    .safeParse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));
  if (!read.success)
    throw new Error(`The exercise library has an error in ${file}: ${z.prettifyError(read.error)}`);
  return read.data;
}
