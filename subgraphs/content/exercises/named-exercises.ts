import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ownedConditions } from '../listing.ts';
import { EXERCISE_LIBRARY } from './exercise-library.ts';
import type { Modality } from './exercises.shapes.ts';
import { libraryExerciseId } from './library-exercise.ts';

export interface NamedExercise {
  id: string;
  modality: Modality;
}

/** The exercises of the library by their other names, in lower case. */
const LIBRARY_ALIASES: ReadonlyMap<string, string> = new Map(
  EXERCISE_LIBRARY.flatMap(({ name, aliases }) =>
    aliases.map((alias) => [alias.toLowerCase(), libraryExerciseId(name)] as const),
  ),
);

/**
 * The exercises with these names that the viewer may see. Their own exercises come first, then those of their gym, then the
 * library, also by its other names.
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
  // Later rows replace earlier ones.
  for (const row of rows) if (names.includes(row.name)) found.set(row.name, row);
  return found;
}
