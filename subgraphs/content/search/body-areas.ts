/**
 * Words by which people search for the muscles of a part of the body. A search for `lower body` looks for `lowerbody`
 * first, because `lower` is also a word of `lower back`.
 */
const AREAS: Record<string, readonly string[]> = {
  'upper body upperbody': [
    'biceps',
    'chest',
    'forearms',
    'lats',
    'middle back',
    'neck',
    'shoulders',
    'traps',
    'triceps',
  ],
  'lower body lowerbody legs': [
    'abductors',
    'adductors',
    'calves',
    'glutes',
    'hamstrings',
    'hip flexors',
    'quadriceps',
  ],
  'core abs': ['abdominals', 'lower back'],
  arms: ['biceps', 'forearms', 'triceps'],
};

/** The joined words of `AREAS` with the two words of which they consist. Rows that contain the two by chance come after rows of the area. */
export const PHRASES: ReadonlyMap<string, string[]> = new Map([
  ['upperbody', ['upper', 'body']],
  ['lowerbody', ['lower', 'body']],
]);

/**
 * SQL of a tsvector with the areas of the muscles that a column lists. It is in a generated column: a change needs a
 * migration.
 */
export const areasOf = (column: string): string =>
  Object.entries(AREAS)
    .map(
      ([words, muscles]) =>
        `case when jsonb_exists_any("${column}", '{${muscles.map((muscle) => `"${muscle}"`).join(',')}}'::text[]) then setweight(to_tsvector('simple'::regconfig, '${words}'), 'C') else ''::tsvector end`,
    )
    .join(' || ');
