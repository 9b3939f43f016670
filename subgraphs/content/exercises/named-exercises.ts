import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ownedConditions } from '../listing.ts';
import { EXERCISE_LIBRARY } from './exercise-library.ts';
import type { Modality } from './exercises.shapes.ts';
import { libraryExerciseId } from './library-exercise.ts';

export interface NamedExercise {
  id: string;
  modality: Modality;
}

/** The aliases of the exercises of the library, and the id of the exercise of each. */
const ALIASES = EXERCISE_LIBRARY.flatMap(({ name, aliases }) =>
  aliases.map((alias) => ({ alias, id: libraryExerciseId(name) })),
);

/**
 * The names in lower case. PostgreSQL makes it, because that of JavaScript differs: the last Σ of a word is ς here and σ there,
 * so a name would not be equal to `lower(name)` of its own row.
 */
export async function inLowerCase(
  unit: UnitOfWork,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return new Map();
  const rows = await unit.read<{ name: string; lower: string }>(
    'select name, lower(name) as lower from unnest(?::text[]) as given(name)',
    [distinct],
  );
  return new Map(rows.map(({ name, lower }) => [name, lower]));
}

/**
 * The exercises with these names that the viewer may see, one for each name: their own exercise, else one of their gym, else
 * one of the library, by its name or else by an alias.
 * @param names from `inLowerCase`; so are the keys of the result
 */
export async function namedExercises(
  unit: UnitOfWork,
  names: readonly string[],
): Promise<Map<string, NamedExercise>> {
  if (names.length === 0) return new Map();
  const { sql, params } = ownedConditions(unit, {});
  const rows = await unit.read<NamedExercise & { name: string; aliases: string[] }>(
    `with alias as (
       select lower(name) as name, id from unnest(?::text[], ?::uuid[]) as given(name, id) where lower(name) = any(?::text[])
     )
     select exercise.id, lower(exercise.name) as name, modality,
       array(select alias.name from alias where alias.id = exercise.id) as aliases
     from exercise
     where (lower(exercise.name) = any(?::text[]) or exercise.id = any(array(select alias.id from alias)))
       and ${sql.join(' and ')}
     order by owner_id is null desc, gym_id is null desc, exercise.id`,
    [ALIASES.map(({ alias }) => alias), ALIASES.map(({ id }) => id), names, names, ...params],
  );
  const wanted = new Set(names);
  const found = new Map<string, NamedExercise>();
  for (const row of rows) for (const alias of row.aliases) found.set(alias, row);
  // The rows are in the order library, gym, own exercises; a later row replaces an earlier one with the same name.
  for (const row of rows) if (wanted.has(row.name)) found.set(row.name, row);
  return found;
}
