import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ownedConditions } from '../listing.ts';
import { EXERCISE_LIBRARY } from './exercise-library.ts';
import type { Modality } from './exercises.shapes.ts';
import { libraryExerciseId } from './library-exercise.ts';

export interface NamedExercise {
  id: string;
  modality: Modality;
}

/** The ids of the exercises of the library by their aliases, in lower case. */
const LIBRARY_ALIASES: ReadonlyMap<string, string> = new Map(
  EXERCISE_LIBRARY.flatMap(({ name, aliases }) =>
    aliases.map((alias) => [alias.toLowerCase(), libraryExerciseId(name)] as const),
  ),
);

/**
 * The exercises with these names that the viewer may see, one for each name: their own exercise, else one of their gym, else
 * one of the library, by its name or else by an alias.
 * @param names in lower case; so are the keys of the result
 */
export async function namedExercises(
  unit: UnitOfWork,
  names: readonly string[],
): Promise<Map<string, NamedExercise>> {
  if (names.length === 0) return new Map();
  const { sql, params } = ownedConditions(unit, {});
  const aliases = names.flatMap((name) => {
    const id = LIBRARY_ALIASES.get(name);
    return id ? [{ name, id }] : [];
  });
  const rows = await unit.read<NamedExercise & { name: string }>(
    `select id, lower(name) as name, modality from exercise
     where (lower(name) = any(?::text[]) or id = any(?::uuid[])) and ${sql.join(' and ')}
     order by owner_id is null desc, gym_id is null desc, exercise.id`,
    [names, aliases.map(({ id }) => id), ...params],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = new Map<string, NamedExercise>();
  for (const { name, id } of aliases) {
    const row = byId.get(id);
    if (row) found.set(name, row);
  }
  // The rows are in the order library, gym, own exercises; a later row replaces an earlier one with the same name.
  for (const row of rows) if (names.includes(row.name)) found.set(row.name, row);
  return found;
}
