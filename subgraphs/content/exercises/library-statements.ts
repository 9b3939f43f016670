import { EXERCISE_LIBRARY } from './exercise-library.ts';
import { libraryExerciseId } from './library-exercise.ts';

/** The time at which library rows count as created and written. Until somebody changes a row, `updated_at = created_at`. */
const WRITTEN_AT = '2026-01-01T00:00:00Z';

/** The fields of `LibraryExercise` with their columns and SQL types. */
const COLUMNS = [
  ['name', 'name', 'text'],
  ['aliases', 'aliases', 'jsonb'],
  ['primaryMuscles', 'primary_muscles', 'jsonb'],
  ['secondaryMuscles', 'secondary_muscles', 'jsonb'],
  ['equipment', 'equipment', 'text'],
  ['level', 'level', 'text'],
  ['force', 'force', 'text'],
  ['mechanic', 'mechanic', 'text'],
  ['category', 'category', 'text'],
  ['modality', 'modality', 'text'],
  ['instructions', 'instructions', 'jsonb'],
] as const;

/**
 * SQL for a migration that brings the common library to the state of the data files. It adds the exercises that are missing,
 * and overwrites those that nobody has changed. Exercises that a SUPER_ADMIN has changed or deleted stay as they are, but get
 * the instructions of the data files if they have none. Exercises of gyms have other ids, and are not touched. Every row that
 * the migration changes gets its next version, because one ETag must not name two contents.
 */
export function libraryStatements(): string[] {
  const quoted = `'${JSON.stringify(EXERCISE_LIBRARY.map((exercise) => ({ id: libraryExerciseId(exercise.name), ...exercise }))).replaceAll("'", "''")}'`;
  const library = `jsonb_to_recordset(${quoted}::jsonb) as library(id uuid, ${COLUMNS.map(([field, , type]) => `"${field}" ${type}`).join(', ')})`;
  const columns = COLUMNS.map(([, column]) => column);
  const values = COLUMNS.map(([field]) => `library."${field}"`);
  return [
    `insert into "exercise" (id, ${columns.join(', ')}, created_at, updated_at)
     select library.id, ${values.join(', ')}, '${WRITTEN_AT}', '${WRITTEN_AT}' from ${library}
     on conflict (id) do update
     set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}, version = exercise.version + 1
     where exercise.updated_at = exercise.created_at and exercise.deleted_at is null
       and (${columns.map((column) => `exercise.${column}`).join(', ')}) is distinct from (${columns.map((column) => `excluded.${column}`).join(', ')});`,
    `update "exercise" set instructions = library.instructions, version = exercise.version + 1
     from ${library} where exercise.id = library.id and exercise.instructions = '[]';`,
  ];
}
