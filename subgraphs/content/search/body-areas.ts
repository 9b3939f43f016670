/** Words that people search by for the muscles of a part of the body. */
const AREAS: Record<string, readonly string[]> = {
  'upper body': [
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
  'lower body legs': [
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

/** SQL of a tsvector with the areas of the muscles that a column lists; a change of it needs a migration. */
export const areasOf = (column: string): string =>
  Object.entries(AREAS)
    .map(
      ([words, muscles]) =>
        `case when jsonb_exists_any("${column}", '{${muscles.map((muscle) => `"${muscle}"`).join(',')}}'::text[]) then to_tsvector('simple'::regconfig, '${words}') else ''::tsvector end`,
    )
    .join(' || ');
